import { useState } from 'react';
import { api, once, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button, IconButton } from '../ui/button';
import { Value } from '../ui/copy';
import { Check, Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { Modal, ModalActions } from '../ui/modal';
import { Facts, Section } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { notify, runUnlessUndone } from '../ui/toasts';
import { SecretOnce, splitDomains } from '../ui/secret-once';
import { t } from '../words/words';

type Credential = Schemas['SmtpCredential'];

export function SmtpCredentials() {
  const account = useAccount();
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<Schemas['NewSmtpCredential']>();
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set());
  const mayWrite = useCan('smtp-credentials:write:all');
  const mayDelete = useCan('smtp-credentials:delete:all');
  const list = useRows<Credential>(['smtp', account.account_id], (after) =>
    read(
      api.GET('/v2/accounts/{account_id}/smtp-credentials', {
        params: { path: account, query: after === undefined ? {} : { after } },
      }),
    ),
  );
  const remove = useAction(
    ({ id }: Credential) =>
      read(
        api.DELETE('/v2/accounts/{account_id}/smtp-credentials/{smtp_credential_id}', {
          params: { path: { ...account, smtp_credential_id: id } },
        }),
      ),
    { changes: [['smtp']], done: (_answer, { name }) => notify(t.keys.deleted(name)) },
  );
  const startRemoval = (row: Credential) => {
    const back = () => setLeaving((was) => new Set([...was].filter((id) => id !== row.id)));
    setLeaving((was) => new Set([...was, row.id]));
    runUnlessUndone(t.deleting(row.name), () => remove.mutate(row, { onError: back }), back);
  };
  const columns: readonly Column<Credential>[] = mayDelete
    ? [
        ...COLUMNS,
        {
          id: 'delete',
          title: '',
          width: '2rem',
          end: true,
          cell: (row) => (
            <IconButton icon="trash" label={`${t.delete} ${row.name}`} onClick={() => startRemoval(row)} />
          ),
        },
      ]
    : COLUMNS;
  const add = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {t.smtp.add}
    </Button>
  );
  return (
    <>
      <Section title={t.smtp.title} lead={t.smtp.lead} actions={add}>
        <RowsTable
          label={t.smtp.title}
          list={{ ...list, rows: list.rows.filter(({ id }) => !leaving.has(id)) }}
          columns={columns}
          keyOf={({ id }) => id}
          curl={<Curl path="/smtp-credentials" />}
          empty={
            <Empty title={t.smtp.none} action={add}>
              {t.smtp.noneText}
            </Empty>
          }
        />
      </Section>
      <Section title={t.smtp.settings} lead={t.smtp.settingsText}>
        <div className="panel max-w-xl p-4">
          <Facts
            rows={SETTINGS.map(([name, value]) => [name, <Value key={name} text={value} label={name} />])}
          />
        </div>
      </Section>
      {isAdding && (
        <Add
          onClose={() => setAdding(false)}
          onCreated={(credential) => {
            setAdding(false);
            setCreated(credential);
          }}
        />
      )}
      {created && (
        <SecretOnce
          title={t.smtp.created}
          rows={[...SETTINGS, [t.smtp.username, created.username], [t.smtp.password, created.password]]}
          onClose={() => setCreated(undefined)}
        />
      )}
    </>
  );
}

const isLocal = /^(localhost|127\.|\[::1\])/.test(location.hostname);
const SETTINGS: readonly (readonly [string, string])[] = [
  [t.smtp.host, location.hostname],
  [t.smtp.port, isLocal ? '2525' : '587'],
  [t.smtp.encryption, 'STARTTLS'],
  [t.smtp.login, 'PLAIN, LOGIN'],
];

const COLUMNS: readonly Column<Credential>[] = [
  {
    id: 'name',
    title: t.webhooks.name,
    width: 'minmax(0,1fr)',
    cell: ({ name, sandbox }) => (
      <>
        <span className="font-medium">{name}</span> {sandbox && <Badge tone="accent">{t.smtp.sandbox}</Badge>}
      </>
    ),
  },
  {
    id: 'username',
    title: t.smtp.username,
    width: 'minmax(0,1.3fr)',
    wide: true,
    cell: ({ username }) => <Value text={username} label={t.smtp.username} />,
  },
  {
    id: 'scope',
    title: t.webhooks.scope,
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ scope, domains }) => (scope === 'global' ? t.webhooks.scopes.global : domains.join(', ')),
  },
  {
    id: 'created',
    title: t.created,
    width: '6rem',
    end: true,
    cell: ({ created_at }) => <Time at={created_at} ago />,
  },
];

const FORM = z.object({
  name: z.string().check(z.minLength(1, t.needed)),
  scope: z.enum(['global', 'scoped']),
  domains: z.string(),
  sandbox: z.boolean(),
});
type Values = z.infer<typeof FORM>;

function Add({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (one: Schemas['NewSmtpCredential']) => void;
}) {
  const account = useAccount();
  const form = useSchemaForm<Values>(FORM, { name: '', scope: 'global', domains: '', sandbox: false });
  const add = useAction(
    ({ name, scope, domains, sandbox }: Values) =>
      read(
        api.POST('/v2/accounts/{account_id}/smtp-credentials', {
          params: { path: account, header: once() },
          body: { name, scope, sandbox, ...(scope === 'scoped' ? { domains: splitDomains(domains) } : {}) },
        }),
      ),
    { changes: [['smtp']], quiet: true, done: onCreated },
  );
  return (
    <Modal title={t.smtp.add} onClose={onClose}>
      <form onSubmit={form.handleSubmit((values) => add.mutate(values))} className="flex flex-col gap-4">
        <Input
          label={t.webhooks.name}
          autoFocus
          error={form.formState.errors.name?.message}
          {...form.register('name')}
        />
        <Select
          label={t.webhooks.scope}
          options={[
            ['global', t.webhooks.scopes.global],
            ['scoped', t.webhooks.scopes.scoped],
          ]}
          {...form.register('scope')}
        />
        {form.watch('scope') === 'scoped' && (
          <Input label={t.domains.title} hint={t.webhooks.domainsHint} {...form.register('domains')} />
        )}
        <Check label={t.smtp.sandbox} hint={t.smtp.sandboxText} {...form.register('sandbox')} />
        {add.error && (
          <p role="alert" className="text-bad">
            {add.error.message}
          </p>
        )}
        <ModalActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="primary" busy={add.isPending}>
            {t.smtp.add}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
