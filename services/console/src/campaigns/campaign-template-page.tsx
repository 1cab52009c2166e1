import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, back, once, read, type ConsoleSchemas, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { SaveState, useAutosave } from '../editor/autosave';
import { ContentEditor, PreviewPane } from '../editor/content-editor';
import { blocksBodyOf, bodyOf, contentOf } from '../editor/content.rules';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Page } from '../ui/page';
import { Curl, Failed, Loaded, Skeleton } from '../ui/states';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { blocksOfTemplate } from './campaign-templates';
import { NewCampaign } from './new-campaign';

type Template = Schemas['CampaignTemplate'];
type Blocks = ConsoleSchemas['DesignBlocks'] | undefined;

const LIST = { to: '/campaigns', search: { tab: 'templates' } } as const;
const CHANGES = [['campaign-templates']];

export default function CampaignTemplatePage() {
  const account = useAccount();
  const { templateId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: ['campaign-templates', account.account_id, templateId],
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/campaign-templates/{template_id}', {
          params: { path: { ...account, template_id: templateId } },
        }),
      ),
  });
  return (
    <Page
      title={query.data?.name ?? t.campaignTemplates.title}
      back={{ ...LIST, label: t.campaignTemplates.title }}
      lead={t.campaignTemplates.pageLead}
      actions={query.data && <Actions template={query.data} />}
    >
      <Loaded query={query}>{(template) => <Design key={template.id} template={template} />}</Loaded>
    </Page>
  );
}

function Actions({ template: { id, name } }: { template: Template }) {
  const account = useAccount();
  const navigate = useNavigate();
  const [isUsing, setUsing] = useState(false);
  const mayUse = useCan('campaigns:write');
  const mayWrite = useCan('templates:write');
  const mayDelete = useCan('templates:delete');
  const toPage = (templateId: string) =>
    void navigate({ to: '/campaigns/templates/$templateId', params: { templateId } });
  const duplicate = useAction(
    () =>
      read(
        back.POST('/console/api/campaign-templates/{campaign_template_id}/duplicate', {
          params: { path: { campaign_template_id: id } },
        }),
      ),
    {
      changes: CHANGES,
      done: (copy) => {
        notify(t.campaigns.duplicated);
        toPage(copy.id);
      },
    },
  );
  const remove = useAction(
    () =>
      read(
        api.DELETE('/v2/accounts/{account_id}/campaign-templates/{template_id}', {
          params: { path: { ...account, template_id: id } },
        }),
      ),
    { changes: CHANGES, done: () => notify(t.keys.deleted(name)) },
  );
  const startRemoval = () => {
    void navigate(LIST);
    runUnlessUndone(
      t.deleting(name),
      () => remove.mutate(undefined),
      () => toPage(id),
    );
  };
  return (
    <>
      {mayUse && (
        <Button look="primary" onClick={() => setUsing(true)}>
          {t.campaignTemplates.use}
        </Button>
      )}
      {mayWrite && (
        <Button busy={duplicate.isPending} onClick={() => duplicate.mutate(undefined)}>
          {t.campaigns.duplicate}
        </Button>
      )}
      {mayDelete && (
        <Button look="danger" icon="trash" onClick={startRemoval}>
          {t.delete}
        </Button>
      )}
      {isUsing && <NewCampaign from={{ id, name }} onClose={() => setUsing(false)} />}
    </>
  );
}

/** A template has the blocks of its design apart from it. */
function Design({ template }: { template: Template }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['campaign-template-blocks', account.account_id, template.id],
    // edited is what the server has now, not what it had at the last visit
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: async (): Promise<{ blocks: Blocks }> => ({
      blocks: template.editor === 'simple' ? await blocksOfTemplate(template.id) : undefined,
    }),
  });
  return <Loaded query={query}>{({ blocks }) => <Editor template={template} blocks={blocks} />}</Loaded>;
}

function Editor({ template, blocks }: { template: Template; blocks: Blocks }) {
  const account = useAccount();
  const mayWrite = useCan('templates:write');
  const [name, setName] = useState(template.name);
  const [content, setContent] = useState(() => contentOf(template.content, blocks));
  const save = useAutosave(JSON.stringify([name, content]), {
    mayWrite,
    changes: CHANGES,
    write: async () => {
      const body = bodyOf(content);
      await read(
        api.PUT('/v2/accounts/{account_id}/campaign-templates/{template_id}', {
          params: { path: { ...account, template_id: template.id }, header: once() },
          body: { name, ...(body && { content: body }) },
        }),
      );
      const design = blocksBodyOf(content);
      if (design)
        await read(
          back.PUT('/console/api/campaign-templates/{campaign_template_id}/blocks', {
            params: { path: { campaign_template_id: template.id } },
            body: design,
          }),
        );
    },
  });
  return (
    <>
      {mayWrite && (
        <div className="mb-4">
          <SaveState of={save} saved={t.campaignTemplates.allSaved} />
        </div>
      )}
      <div className="grid gap-6 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          <Input
            label={t.webhooks.name}
            disabled={!mayWrite}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <ContentEditor content={content} change={setContent} readOnly={!mayWrite} isFixed />
        </div>
        <Preview template={template} saves={save.saves} />
      </div>
      <div className="mt-6">
        <Curl method="POST" path="/campaigns" body={{ name: 'June', template_id: template.id }} />
      </div>
    </>
  );
}

/** As a recipient of a campaign would get it; the subject comes with the campaign. */
function Preview({ template, saves }: { template: Template; saves: number }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['campaign-template-preview', account.account_id, template.id, saves],
    placeholderData: (before) => before,
    retry: false,
    queryFn: () =>
      read(
        back.POST('/console/api/campaign-templates/{campaign_template_id}/preview', {
          params: { path: { campaign_template_id: template.id } },
          body: {},
        }),
      ),
  });
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return query.data ? <PreviewPane preview={query.data} /> : <Skeleton />;
}
