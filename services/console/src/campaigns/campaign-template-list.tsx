import { useNavigate } from '@tanstack/react-router';
import { api, back, once, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount } from '../api/session';
import { FIRST_CAMPAIGN_DESIGN } from '../editor/blocks.rules';
import { Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';

type Template = Schemas['CampaignTemplateListItem'];

const COLUMNS: readonly Column<Template>[] = [
  {
    id: 'name',
    title: t.webhooks.name,
    width: 'minmax(0,1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'editor',
    title: t.templates.editor,
    width: '6rem',
    cell: ({ editor }) => t.templates.editors[editor],
  },
  {
    id: 'updated',
    title: t.templates.updated,
    width: '7rem',
    wide: true,
    end: true,
    cell: ({ updated_at }) => <Time at={updated_at} ago />,
  },
];

const MJML = `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text>Hello {{ first_name|default("there") }},</mj-text>
        <mj-text font-size="12px"><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;
const HTML = `<!doctype html>
<html>
  <body>
    <p>Hello {{ first_name|default("there") }},</p>
    <p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>
  </body>
</html>
`;

/** @param add the button of the page */
export function CampaignTemplates({ add }: { add: React.ReactNode }) {
  const account = useAccount();
  const list = useRows<Template>(['campaign-templates', account.account_id, 'list'], (after) =>
    read(
      api.GET('/v2/accounts/{account_id}/campaign-templates', {
        params: { path: account, query: after === undefined ? {} : { after } },
      }),
    ),
  );
  return (
    <RowsTable
      label={t.campaignTemplates.title}
      list={list}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      linkOf={({ id }) => ({ to: '/campaigns/templates/$templateId', params: { templateId: id } })}
      curl={<Curl path="/campaign-templates" />}
      empty={
        <Empty
          title={t.campaignTemplates.none}
          action={add}
          curl={
            <Curl
              method="POST"
              path="/campaign-templates"
              body={{ name: 'Newsletter', content: { html: '<p>Hello {{ first_name }}</p>' } }}
            />
          }
        >
          {t.campaignTemplates.noneText}
        </Empty>
      }
    />
  );
}

const FORM = z.object({
  name: z.string().check(z.minLength(1, t.needed)),
  language: z.enum(['blocks', 'mjml', 'html']),
});
type Values = z.infer<typeof FORM>;

export function AddCampaignTemplate({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const navigate = useNavigate();
  const form = useSchemaForm<Values>(FORM, { name: '', language: 'blocks' });
  const add = useAction(
    ({ name, language }: Values): Promise<{ id: string }> =>
      language === 'blocks'
        ? read(
            back.POST('/console/api/campaign-templates', { body: { name, blocks: FIRST_CAMPAIGN_DESIGN } }),
          )
        : read(
            api.POST('/v2/accounts/{account_id}/campaign-templates', {
              params: { path: account, header: once() },
              body: { name, content: language === 'mjml' ? { mjml: MJML } : { html: HTML } },
            }),
          ),
    {
      changes: [['campaign-templates']],
      quiet: true,
      done: ({ id }) => void navigate({ to: '/campaigns/templates/$templateId', params: { templateId: id } }),
    },
  );
  return (
    <FormModal
      title={t.campaignTemplates.add}
      of={add}
      submit={form.handleSubmit((values) => add.mutate(values))}
      onClose={onClose}
    >
      <Input
        label={t.webhooks.name}
        hint={t.campaigns.nameHint}
        autoFocus
        error={form.formState.errors.name?.message}
        {...form.register('name')}
      />
      <Select
        label={t.editor.language}
        hint={t.editor.languageHint}
        options={Object.entries(t.editor.languages)}
        {...form.register('language')}
      />
    </FormModal>
  );
}
