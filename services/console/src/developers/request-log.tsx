import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, back, read, type ConsoleSchemas } from '../api/client';
import { useRows } from '../api/pages';
import { useAccount } from '../api/session';
import { Badge } from '../ui/badge';
import { LinkButton } from '../ui/button';
import { Section } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { SearchBox } from '../ui/search-box';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { isRequestId, readRequestFilters, type RequestFilters } from './request-filters.rules';

type Entry = ConsoleSchemas['RequestLogEntry'];
type Info = Pick<ConsoleSchemas['RequestLogPage'], 'kept_days' | 'left_out'>;

const REFRESH_MS = 5_000;

/** Requests of programs that were refused or have failed. */
export default function RequestLog() {
  const filters = readRequestFilters(useSearch({ strict: false }));
  const account = useAccount();
  const [info, setInfo] = useState<Info>();
  const list = useRows<Entry>(
    ['request-log', account.account_id, filters],
    async (after) => {
      const query = { ...filters, ...(after === undefined ? {} : { after }) };
      const page = await read(back.GET('/console/api/request-log', { params: { query } }));
      setInfo(page);
      return page;
    },
    { refreshMs: REFRESH_MS, isStreamed: false },
  );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Section title={t.requestLog.title} lead={info && t.requestLog.lead(info.kept_days)}>
      <Filters filters={filters} />
      {info && info.left_out.length > 0 && (
        <p role="note" className="mb-4 rounded-md bg-warn-soft px-4 py-2 text-sm text-warn">
          {t.requestLog.leftOut}{' '}
          {info.left_out.map(({ day, count }) => t.requestLog.onDay(day, count)).join(', ')}.
        </p>
      )}
      <RowsTable
        label={t.requestLog.title}
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/developers/requests/$requestId', params: { requestId: id } })}
        phone={onPhone}
        empty={
          isFiltered ? (
            <Empty
              title={t.requestLog.nothingFound}
              action={
                <LinkButton to="/developers" search={{ tab: 'requests' }}>
                  {t.requestLog.showAll}
                </LinkButton>
              }
            />
          ) : (
            <Empty title={t.requestLog.none} curl={<Curl path="/messages?limit=0" />}>
              {t.requestLog.noneText}
            </Empty>
          )
        }
      />
    </Section>
  );
}

export const StatusBadge = ({ of: { status } }: { of: Pick<Entry, 'status'> }) => (
  <Badge tone={status >= 500 ? 'bad' : 'warn'}>{status}</Badge>
);

export const targetOf = ({ method, path }: Pick<Entry, 'method' | 'path'>): string =>
  path === null ? t.requestLog.smtp(method) : `${method} ${path}`;

/** Without the account, which is the same in every row. */
const shortTarget = (entry: Entry): string => targetOf(entry).replace(/\/v2\/accounts\/[^/]+/, '');

const COLUMNS: readonly Column<Entry>[] = [
  { id: 'status', title: t.requestLog.status, width: '4rem', cell: (entry) => <StatusBadge of={entry} /> },
  {
    id: 'request',
    title: t.requestLog.request,
    width: 'minmax(0,1.2fr)',
    cell: (entry) => (
      <code className="font-mono text-xs" title={targetOf(entry)}>
        {shortTarget(entry)}
      </code>
    ),
  },
  {
    id: 'message',
    title: t.requestLog.error,
    width: 'minmax(0,1.6fr)',
    wide: true,
    cell: ({ message }) => <span title={message}>{message}</span>,
  },
  {
    id: 'key',
    title: t.requestLog.key,
    width: 'minmax(0,0.8fr)',
    wide: true,
    cell: ({ key }) => key.name ?? <span className="text-ink-3">{t.requestLog.deletedKey}</span>,
  },
  {
    id: 'time',
    title: t.requestLog.time,
    width: '6.500rem',
    end: true,
    cell: ({ created_at }) => (
      <span className="text-ink-3">
        <Time at={created_at} ago />
      </span>
    ),
  },
];

const onPhone = (entry: Entry) => (
  <>
    <span className="flex items-center justify-between gap-2">
      <code className="min-w-0 truncate font-mono text-xs">{shortTarget(entry)}</code>
      <StatusBadge of={entry} />
    </span>
    <span className="flex items-center justify-between gap-2 text-xs text-ink-3">
      <span className="min-w-0 truncate">{entry.message}</span>
      <Time at={entry.created_at} ago />
    </span>
  </>
);

function Filters({ filters }: { filters: RequestFilters }) {
  const navigate = useNavigate();
  const keys = useKeys();
  const [text, setText] = useState(filters.path ?? '');
  const change = (next: RequestFilters) =>
    void navigate({ to: '/developers', search: { ...filters, ...next, tab: 'requests' }, replace: true });
  const submit = (given: string) => {
    if (!isRequestId(given)) return change({ path: given });
    void navigate({ to: '/developers/requests/$requestId', params: { requestId: given } });
  };
  const known = keys.some(([id]) => id === (filters.key_id ?? ''));
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchBox
        label={t.requestLog.search}
        text={text}
        setText={setText}
        search={submit}
        className="min-w-56 flex-1"
      />
      <select
        aria-label={t.requestLog.status}
        value={filters.status ?? ''}
        onChange={(event) => change({ status: event.target.value })}
        className="field w-auto"
      >
        {t.requestLog.statuses.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        aria-label={t.requestLog.key}
        value={filters.key_id ?? ''}
        onChange={(event) => change({ key_id: event.target.value })}
        className="field w-auto max-w-60"
      >
        {[...keys, ...(known || !filters.key_id ? [] : [[filters.key_id, filters.key_id] as const])].map(
          ([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ),
        )}
      </select>
    </div>
  );
}

/** The newest API keys and SMTP credentials, for a choice. */
function useKeys(): (readonly [id: string, name: string])[] {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['request-log', account.account_id, 'keys'],
    queryFn: async () => {
      const params = { path: account };
      const [keys, credentials] = await Promise.all([
        read(api.GET('/v2/accounts/{account_id}/api-keys', { params })),
        read(api.GET('/v2/accounts/{account_id}/smtp-credentials', { params })),
      ]);
      return [
        ...keys.data.map(({ id, label }) => [id, label] as const),
        ...credentials.data.map(({ id, name }) => [id, t.requestLog.credential(name)] as const),
      ];
    },
  });
  return [['', t.requestLog.anyKey], ...(query.data ?? [])];
}
