import { lazy, Suspense, useState } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button, IconButton } from '../ui/button';
import { Value } from '../ui/copy';
import { Section } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { SecretOnce } from '../ui/secret-once';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { settingRows, SmtpSettings, useSmtpSettings } from './smtp-settings';

const SmtpForm = lazy(() => import('./smtp-form'));

type Credential = Schemas['SmtpCredential'];

export default function SmtpCredentials() {
  const account = useAccount();
  const { data: settings } = useSmtpSettings();
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
            <Empty
              title={t.smtp.none}
              action={add}
              curl={<Curl method="POST" path="/smtp-credentials" body={{ name: 'shop', scope: 'global' }} />}
            >
              {t.smtp.noneText}
            </Empty>
          }
        />
      </Section>
      <SmtpSettings />
      <Suspense>
        {isAdding && (
          <SmtpForm
            onClose={() => setAdding(false)}
            onCreated={(credential) => {
              setAdding(false);
              setCreated(credential);
            }}
          />
        )}
      </Suspense>
      {created && (
        <SecretOnce
          title={t.smtp.created}
          rows={[
            ...(settings ? settingRows(settings) : []),
            [t.smtp.username, created.username],
            [t.smtp.password, created.password],
          ]}
          onClose={() => setCreated(undefined)}
        />
      )}
    </>
  );
}

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
