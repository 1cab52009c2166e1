import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, once, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Curl, Empty, Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { diffLines } from './line-diff.rules';

type Template = Schemas['Template'];
type Version = Schemas['TemplateVersion'];

export function TemplateVersions({ template }: { template: Template }) {
  const account = useAccount();
  const [chosen, choose] = useState<string>();
  const query = useQuery({
    queryKey: ['templates', account.account_id, template.id, 'versions'],
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/templates/{template_id}/versions', {
          params: { path: { ...account, template_id: template.id } },
        }),
      ),
  });
  return (
    <Loaded query={query}>
      {({ data }) => {
        if (data.length === 0)
          return (
            <Empty
              title={t.templates.noVersion}
              curl={<Curl method="POST" path={`/templates/${template.id}/publish`} />}
            >
              {t.templates.noVersionText}
            </Empty>
          );
        const current = data.find(({ id }) => id === chosen) ?? data[0];
        const before = data[data.findIndex(({ id }) => id === current?.id) + 1];
        return (
          <div className="grid gap-6 lg:grid-cols-[16rem_minmax(0,1fr)]">
            <ul className="panel self-start divide-y divide-line overflow-hidden">
              {data.map(({ id, version, published_at }) => (
                <li key={id}>
                  <button
                    type="button"
                    aria-pressed={id === current?.id}
                    onClick={() => choose(id)}
                    className={`flex w-full justify-between px-4 py-2 text-left ${id === current?.id ? 'bg-sunken font-medium' : 'hover:bg-sunken'}`}
                  >
                    {t.templates.version(version)}
                    <span className="text-xs text-ink-3">
                      <Time at={published_at} ago />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
            {current && <VersionDiff template={template} version={current} before={before} />}
          </div>
        );
      }}
    </Loaded>
  );
}

function useVersion(template: Template, version: Version | undefined) {
  const account = useAccount();
  return useQuery({
    queryKey: ['template-version', account.account_id, template.id, version?.id],
    enabled: version !== undefined,
    staleTime: Infinity,
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/templates/{template_id}/versions/{version_id}', {
          params: { path: { ...account, template_id: template.id, version_id: version?.id ?? '' } },
        }),
      ),
  });
}

const sourceOf = (detail: Schemas['TemplateVersionDetail'] | undefined): string =>
  detail === undefined
    ? ''
    : [
        detail.subject,
        detail.preheader,
        '',
        detail.content?.mjml ?? detail.content?.html ?? '',
        ...(detail.content?.text_is_custom ? ['', detail.content.text ?? ''] : []),
      ].join('\n');

const LOOKS = { same: '', added: 'bg-good-soft text-good', removed: 'bg-bad-soft text-bad' };
const MARKS = { same: ' ', added: '+', removed: '−' };

/** The changes of a version. */
function VersionDiff({
  template,
  version,
  before,
}: {
  template: Template;
  version: Version;
  before: Version | undefined;
}) {
  const account = useAccount();
  const mayWrite = useCan('templates:write');
  const now = useVersion(template, version);
  const earlier = useVersion(template, before);
  const restore = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/templates/{template_id}/versions/{version_id}/restore', {
          params: { path: { ...account, template_id: template.id, version_id: version.id }, header: once() },
          body: {},
        }),
      ),
    { changes: [['templates']], done: () => notify(t.templates.restored(version.version)) },
  );
  return (
    <Loaded query={now}>
      {(detail) => (
        <div className="min-w-0">
          <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
            <p className="text-ink-2">
              {before ? t.templates.comparedWith(before.version) : t.templates.firstVersion}
            </p>
            {mayWrite && (
              <Button busy={restore.isPending} onClick={() => restore.mutate(undefined)}>
                {t.templates.restore}
              </Button>
            )}
          </div>
          <pre
            className="panel max-h-[70dvh] overflow-auto py-2 font-mono text-xs leading-5"
            tabIndex={0}
            aria-label={t.templates.version(version.version)}
          >
            {(before && !earlier.data
              ? []
              : diffLines(sourceOf(before ? earlier.data : detail), sourceOf(detail))
            ).map(({ kind, text }, index) => (
              <span key={index} className={`block px-4 ${LOOKS[kind]}`}>
                {MARKS[kind]} {text}
              </span>
            ))}
          </pre>
        </div>
      )}
    </Loaded>
  );
}
