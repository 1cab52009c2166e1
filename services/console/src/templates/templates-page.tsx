import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, back, once, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { FIRST_DESIGN } from '../editor/blocks.rules';
import { Badge } from '../ui/badge';
import { Button, LinkButton } from '../ui/button';
import { Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { Modal, ModalActions } from '../ui/modal';
import { Page } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';

type Template = Schemas['TemplateListItem'];

const COLUMNS: readonly Column<Template>[] = [
  {
    id: 'name',
    title: t.webhooks.name,
    width: 'minmax(0,1.2fr)',
    cell: ({ name, has_draft }) => (
      <>
        <span className="font-medium">{name}</span>{' '}
        {has_draft && <Badge tone="accent">{t.templates.draft}</Badge>}
      </>
    ),
  },
  {
    id: 'subject',
    title: t.messages.subject,
    width: 'minmax(0,1.6fr)',
    wide: true,
    cell: ({ subject }) => subject,
  },
  {
    id: 'editor',
    title: t.templates.editor,
    width: '6rem',
    wide: true,
    cell: ({ editor }) => t.templates.editors[editor],
  },
  {
    id: 'updated',
    title: t.templates.updated,
    width: '7rem',
    end: true,
    cell: ({ updated_at }) => <Time at={updated_at} ago />,
  },
];

const SAMPLE = {
  name: 'Welcome',
  subject: 'Welcome, {{ name }}',
  content: { html: '<p>Hello {{ name }}</p>' },
};

export function TemplatesPage() {
  const account = useAccount();
  const [isAdding, setAdding] = useState(false);
  const mayWrite = useCan('templates:write');
  const list = useRows<Template>(['templates', account.account_id], (after) =>
    read(
      api.GET('/v2/accounts/{account_id}/templates', {
        params: { path: account, query: after === undefined ? {} : { after } },
      }),
    ),
  );
  const add = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {t.templates.add}
    </Button>
  );
  return (
    <Page
      title={t.templates.title}
      lead={t.templates.lead}
      actions={
        mayWrite && (
          <>
            <LinkButton to="/templates/import">{t.contacts.import}</LinkButton>
            {add}
          </>
        )
      }
    >
      <RowsTable
        label={t.templates.title}
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/templates/$templateId', params: { templateId: id } })}
        curl={<Curl path="/templates" />}
        empty={
          <Empty
            title={t.templates.none}
            action={add}
            curl={<Curl method="POST" path="/templates" body={SAMPLE} />}
          >
            {t.templates.noneText}
          </Empty>
        }
      />
      {isAdding && <Add onClose={() => setAdding(false)} />}
    </Page>
  );
}

const FORM = z.object({
  name: z.string().check(z.minLength(1, t.needed)),
  subject: z.string().check(z.minLength(1, t.needed)),
  language: z.enum(['blocks', 'mjml', 'html']),
});
type Values = z.infer<typeof FORM>;

const MJML = `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text>Hello {{ name|default("there") }},</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;
const HTML = `<!doctype html>
<html>
  <body>
    <p>Hello {{ name|default("there") }},</p>
  </body>
</html>
`;
const START = {
  blocks: { editor: 'simple' },
  mjml: { content: { mjml: MJML } },
  html: { content: { html: HTML } },
} as const;

function Add({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const navigate = useNavigate();
  const form = useSchemaForm<Values>(FORM, { name: '', subject: '', language: 'blocks' });
  const add = useAction(
    async ({ name, subject, language }: Values) => {
      const template = await read(
        api.POST('/v2/accounts/{account_id}/templates', {
          params: { path: account, header: once() },
          body: { name, subject, ...START[language] },
        }),
      );
      if (language === 'blocks')
        await read(
          back.PUT('/console/api/templates/{template_id}/blocks', {
            params: { path: { template_id: template.id } },
            body: { blocks: FIRST_DESIGN },
          }),
        );
      return template;
    },
    {
      changes: [['templates']],
      quiet: true,
      done: ({ id }) => void navigate({ to: '/templates/$templateId', params: { templateId: id } }),
    },
  );
  const { errors } = form.formState;
  return (
    <Modal title={t.templates.add} onClose={onClose}>
      <form onSubmit={form.handleSubmit((values) => add.mutate(values))} className="flex flex-col gap-4">
        <Input label={t.webhooks.name} autoFocus error={errors.name?.message} {...form.register('name')} />
        <Input label={t.messages.subject} error={errors.subject?.message} {...form.register('subject')} />
        <Select
          label={t.editor.language}
          hint={t.editor.languageHint}
          options={Object.entries(t.editor.languages)}
          {...form.register('language')}
        />
        {add.error && (
          <p role="alert" className="text-bad">
            {add.error.message}
          </p>
        )}
        <ModalActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="primary" busy={add.isPending}>
            {t.templates.add}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
