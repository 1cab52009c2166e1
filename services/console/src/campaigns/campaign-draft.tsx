import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, back, once, read, type ConsoleSchemas, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { ContentEditor, PreviewPane } from '../editor/content-editor';
import { blocksBodyOf, bodyOf, contentOf, type Content } from '../editor/content.rules';
import { Check, Input, Select } from '../ui/field';
import { Failed, Loaded, Skeleton } from '../ui/states';
import { t } from '../words/words';
import { isEditable, type Campaign } from './campaign-states';

const SAVE_MS = 900;

/** The sender of a campaign as the API has it. */
const fromOf = (campaign: Campaign) => {
  const from = campaign.from as { email?: string; name?: string | null } | null;
  return { email: from?.email ?? '', name: from?.name ?? '' };
};

export function CampaignDraft({ campaign }: { campaign: Campaign }) {
  // a design that becomes one of blocks here is known already
  const [isOfBlocks] = useState(campaign.editor === 'simple');
  return isOfBlocks ? <WithBlocks campaign={campaign} /> : <Draft campaign={campaign} />;
}

function WithBlocks({ campaign }: { campaign: Campaign }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['campaign-blocks', account.account_id, campaign.id],
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: () =>
      read(
        back.GET('/console/api/campaigns/{campaign_id}/blocks', {
          params: { path: { campaign_id: campaign.id } },
        }),
      ),
  });
  return <Loaded query={query}>{(blocks) => <Draft campaign={campaign} blocks={blocks} />}</Loaded>;
}

function Draft({ campaign, blocks }: { campaign: Campaign; blocks?: ConsoleSchemas['DesignBlocks'] }) {
  const account = useAccount();
  const mayWrite = useCan('campaigns:write') && isEditable(campaign.status);
  const [fields, setFields] = useState(() => ({
    name: campaign.name,
    subject: campaign.subject ?? '',
    preheader: campaign.preheader ?? '',
    from: fromOf(campaign),
    reply_to: campaign.reply_to ?? '',
    list_ids: campaign.list_ids,
  }));
  const [content, setContent] = useState(() => contentOf(campaign.content, blocks));
  const [saves, setSaves] = useState(0);
  const wanted = JSON.stringify([fields, content]);
  const [stored, setStored] = useState(wanted);
  const save = useAction(
    async (_text: string) => {
      await read(
        api.PUT('/v2/accounts/{account_id}/campaigns/{campaign_id}', {
          params: { path: { ...account, campaign_id: campaign.id }, header: once() },
          body: toBody(fields, content, campaign),
        }),
      );
      const design = blocksBodyOf(content);
      if (design)
        await read(
          back.PUT('/console/api/campaigns/{campaign_id}/blocks', {
            params: { path: { campaign_id: campaign.id } },
            body: design,
          }),
        );
    },
    {
      changes: [['campaigns']],
      quiet: true,
      done: (_answer, text) => {
        setStored(text);
        setSaves((count) => count + 1);
      },
    },
  );
  const { mutate } = save;
  useEffect(() => {
    if (wanted === stored || !mayWrite) return;
    const timer = setTimeout(() => mutate(wanted), SAVE_MS);
    return () => clearTimeout(timer);
  }, [wanted, stored, mayWrite, mutate]);
  const set = (changed: Partial<typeof fields>) => setFields({ ...fields, ...changed });
  const state = save.isPending
    ? t.templates.saving
    : wanted === stored
      ? t.templates.allSaved
      : t.templates.unsaved;
  return (
    <>
      {mayWrite && (
        <p role="status" className="mb-4 text-sm text-ink-3">
          {save.error && wanted !== stored ? <span className="text-bad">{save.error.message}</span> : state}
        </p>
      )}
      <div className="grid gap-6 xl:grid-cols-2">
        <fieldset disabled={!mayWrite} className="flex min-w-0 flex-col gap-3">
          <Input
            label={t.webhooks.name}
            value={fields.name}
            onChange={(event) => set({ name: event.target.value })}
          />
          <Input
            label={t.messages.subject}
            value={fields.subject}
            onChange={(event) => set({ subject: event.target.value })}
          />
          <Input
            label={t.templates.preheader}
            hint={t.templates.preheaderHint}
            value={fields.preheader}
            onChange={(event) => set({ preheader: event.target.value })}
          />
          <div className="grid gap-3 sm:grid-cols-2">
            <Input
              label={t.messages.sender}
              type="email"
              value={fields.from.email}
              onChange={(event) => set({ from: { ...fields.from, email: event.target.value } })}
            />
            <Input
              label={t.campaigns.senderName}
              value={fields.from.name}
              onChange={(event) => set({ from: { ...fields.from, name: event.target.value } })}
            />
          </div>
          <Input
            label={t.campaigns.replyTo}
            type="email"
            value={fields.reply_to}
            onChange={(event) => set({ reply_to: event.target.value })}
          />
          <Lists chosen={fields.list_ids} change={(list_ids) => set({ list_ids })} />
          {mayWrite && campaign.content === null && content.code === '' && (
            <FromTemplate campaign={campaign} />
          )}
          <ContentEditor
            content={content}
            change={setContent}
            readOnly={!mayWrite}
            isFixed={campaign.editor !== null}
          />
        </fieldset>
        <Preview campaign={campaign} saves={saves} />
      </div>
    </>
  );
}

interface Fields {
  name: string;
  subject: string;
  preheader: string;
  from: { email: string; name: string };
  reply_to: string;
  list_ids: string[];
}

function toBody(
  { name, subject, preheader, from, reply_to, list_ids }: Fields,
  content: Content,
  campaign: Campaign,
) {
  const body = bodyOf(content);
  const hasContent = body && ('mjml' in body || 'html' in body || 'text' in body);
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim());
  return {
    name,
    subject: orNull(subject),
    preheader: orNull(preheader),
    from: from.email.trim() === '' ? null : { email: from.email.trim(), name: from.name.trim() },
    reply_to: orNull(reply_to),
    // no list is chosen yet: the API takes one or more
    ...(list_ids.length > 0 || campaign.list_ids.length > 0 ? { list_ids } : {}),
    ...(hasContent ? { content: body } : {}),
  } as Schemas['CampaignsUpdateBody'];
}

function Lists({ chosen, change }: { chosen: string[]; change: (ids: string[]) => void }) {
  const account = useAccount();
  const { data } = useQuery({
    queryKey: ['lists', account.account_id, 'names'],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/lists', { params: { path: account } })),
  });
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{t.campaigns.audience}</legend>
      {data?.data.length === 0 && <p className="text-sm text-ink-3">{t.lists.noneText}</p>}
      <div className="max-h-40 overflow-y-auto">
        {data?.data.map(({ id, name, contact_count }) => (
          <Check
            key={id}
            label={name}
            hint={t.lists.contactCount(contact_count)}
            checked={chosen.includes(id)}
            onChange={(event) =>
              change(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Begins with the design of a campaign template. */
function FromTemplate({ campaign }: { campaign: Campaign }) {
  const account = useAccount();
  const { data } = useQuery({
    queryKey: ['campaign-templates', account.account_id],
    queryFn: () =>
      read(api.GET('/v2/accounts/{account_id}/campaign-templates', { params: { path: account } })),
  });
  const take = useAction(
    async (id: string) => {
      const { content } = await read(
        api.GET('/v2/accounts/{account_id}/campaign-templates/{template_id}', {
          params: { path: { ...account, template_id: id } },
        }),
      );
      await read(
        api.PUT('/v2/accounts/{account_id}/campaigns/{campaign_id}', {
          params: { path: { ...account, campaign_id: campaign.id }, header: once() },
          body: { content: bodyOf(contentOf(content)) ?? {} },
        }),
      );
    },
    { changes: [['campaigns']], done: () => location.reload() },
  );
  if (!data || data.data.length === 0) return null;
  return (
    <Select
      label={t.campaigns.fromTemplate}
      options={[['', t.campaigns.chooseTemplate], ...data.data.map(({ id, name }) => [id, name] as const)]}
      value=""
      onChange={(event) => event.target.value !== '' && take.mutate(event.target.value)}
    />
  );
}

function Preview({ campaign, saves }: { campaign: Campaign; saves: number }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['campaign-preview', account.account_id, campaign.id, saves],
    placeholderData: (before) => before,
    retry: false,
    queryFn: () =>
      read(
        api.POST('/v2/accounts/{account_id}/campaigns/{campaign_id}/preview', {
          params: { path: { ...account, campaign_id: campaign.id } },
          body: {},
        }),
      ),
  });
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return query.data ? <PreviewPane preview={query.data} /> : <Skeleton />;
}
