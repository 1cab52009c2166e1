import type { ReactNode } from 'react';
import type { Problem } from '../api/client';
import { useSession } from '../api/session';
import { t } from '../words/words';
import { Button } from './button';
import { CodeBlock } from './copy';
import { Icon } from './icons';

/** The same over the API, for a terminal. */
export function Curl({
  method = 'GET',
  path,
  body,
  accountId,
}: {
  method?: string;
  path: string;
  body?: object;
  /** left out: the account of the session */
  accountId?: string;
}) {
  const { account } = useSession();
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${location.origin}/v2/accounts/${accountId ?? account.id}${path}`,
    '-H "Authorization: Bearer $POSTMESH_API_KEY"',
    ...(body ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body)}'`] : []),
  ];
  return (
    <details className="text-left">
      <summary className="py-1 text-xs text-ink-3 hover:text-ink">{t.sameByApi}</summary>
      <div className="mt-2">
        <CodeBlock text={lines.join(' \\\n  ')} label="curl" />
      </div>
    </details>
  );
}

/** Nothing is here yet: what it is for, and the next step. */
export function Empty({
  title,
  children,
  action,
  curl,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  curl?: ReactNode;
}) {
  return (
    <div className="panel px-6 py-10">
      <div className="mx-auto flex max-w-xl flex-col items-center gap-3 text-center">
        <p className="text-base font-semibold">{title}</p>
        {children && <p className="text-ink-2">{children}</p>}
        {action && <div className="mt-1 flex flex-wrap justify-center gap-2">{action}</div>}
        {curl && <div className="mt-3 w-full [&_summary]:text-center">{curl}</div>}
      </div>
    </div>
  );
}

export function Failed({
  error,
  retry,
  curl,
}: {
  error: Problem | Error;
  retry?: () => void;
  curl?: ReactNode;
}) {
  const requestId = 'requestId' in error ? error.requestId : null;
  return (
    <div role="alert" className="panel flex flex-col gap-2 border-bad/40 px-5 py-4">
      <p className="flex items-center gap-2 font-medium text-bad">
        <Icon name="warning" />
        {t.failed.title}
      </p>
      <p className="break-words text-ink-2">{error.message}</p>
      {requestId && (
        <p className="text-xs text-ink-3">
          {t.failed.request} <code className="font-mono">{requestId}</code>
        </p>
      )}
      {retry && (
        <div>
          <Button onClick={retry} icon="refresh">
            {t.tryAgain}
          </Button>
        </div>
      )}
      {curl}
    </div>
  );
}

export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status" aria-label={t.loading} className="panel flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, index) => (
        <span
          key={index}
          className={`skeleton h-4 ${index % 3 === 0 ? 'w-3/4' : index % 3 === 1 ? 'w-11/12' : 'w-1/2'}`}
        />
      ))}
    </div>
  );
}

/** The state of a query: its skeleton, its failure, or its data. */
export function Loaded<T>({
  query,
  children,
}: {
  query: { data: T | undefined; error: Error | null; refetch: () => unknown };
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return <Skeleton />;
}
