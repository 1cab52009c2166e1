import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, back, once, read, type ConsoleSchemas, type Schemas } from '../api/client';
import { useAccount, useCan } from '../api/session';
import { SaveState, useAutosave } from '../editor/autosave';
import { ContentEditor, PreviewPane } from '../editor/content-editor';
import { blocksBodyOf, bodyOf, contentOf, inLanguage, type Content } from '../editor/content.rules';
import { Check, Input } from '../ui/field';
import { Failed, Loaded, Skeleton } from '../ui/states';
import { t } from '../words/words';
import { CampaignSegments } from './campaign-segments';
import { isEditable, type Campaign } from './campaign-states';
import { FromTemplate } from './from-template';

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
  const [content, setContent] = useState(() =>
    campaign.editor === null ? inLanguage(contentOf(null), 'blocks') : contentOf(campaign.content, blocks),
  );
  const save = useAutosave(JSON.stringify([fields, content]), {
    mayWrite,
    changes: [['campaigns']],
    write: async () => {
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
  });
  const set = (changed: Partial<typeof fields>) => setFields({ ...fields, ...changed });
  return (
    <>
      {mayWrite && (
        <div className="mb-4">
          <SaveState of={save} saved={t.templates.allSaved} />
        </div>
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
          <CampaignSegments campaignId={campaign.id} />
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
        <Preview campaign={campaign} saves={save.saves} />
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
