import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { api, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Page, Tabs } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { TemplateDraft } from './template-draft';
import { TemplateVersions } from './template-versions';

type Template = Schemas['Template'];

export function TemplatePage() {
  const account = useAccount();
  const { templateId = '' } = useParams({ strict: false });
  const { tab = 'edit' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ['templates', account.account_id, templateId],
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/templates/{template_id}', {
          params: { path: { ...account, template_id: templateId } },
        }),
      ),
  });
  return (
    <Page
      title={query.data?.name ?? t.templates.title}
      back={{ to: '/templates', label: t.templates.title }}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {query.data?.name ?? t.templates.title}
          {query.data?.has_draft && <Badge tone="accent">{t.templates.draft}</Badge>}
        </span>
      }
      actions={query.data && <Remove template={query.data} />}
    >
      <Loaded query={query}>
        {(template) => (
          <>
            <Tabs
              label={template.name}
              current={tab}
              choose={(next) =>
                void navigate({
                  to: '/templates/$templateId',
                  params: { templateId },
                  search: { tab: next },
                  replace: true,
                })
              }
              tabs={[
                { id: 'edit', label: t.templates.edit },
                { id: 'versions', label: t.templates.versions },
              ]}
            />
            {tab === 'versions' ? (
              <TemplateVersions template={template} />
            ) : (
              <TemplateDraft template={template} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Remove({ template }: { template: Template }) {
  const account = useAccount();
  const navigate = useNavigate();
  const mayDelete = useCan('templates:delete');
  const remove = useAction(
    () =>
      read(
        api.DELETE('/v2/accounts/{account_id}/templates/{template_id}', {
          params: { path: { ...account, template_id: template.id } },
        }),
      ),
    { changes: [['templates']], done: () => notify(t.keys.deleted(template.name)) },
  );
  if (!mayDelete) return null;
  const start = () => {
    void navigate({ to: '/templates' });
    runUnlessUndone(
      t.deleting(template.name),
      () => remove.mutate(undefined),
      () => void navigate({ to: '/templates/$templateId', params: { templateId: template.id } }),
    );
  };
  return (
    <Button look="danger" icon="trash" onClick={start}>
      {t.delete}
    </Button>
  );
}
