import { useState, type FormEvent } from 'react';
import { api, once, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { Section } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

type SubAccount = Schemas['SubAccount'];

export function SubAccounts() {
  const account = useAccount();
  const [isAdding, setAdding] = useState(false);
  const mayWrite = useCan('sub-accounts:write');
  const maySuspend = useCan('sub-accounts:suspend');
  const list = useRows<SubAccount>(['sub-accounts', account.account_id], (after) =>
    read(
      api.GET('/v2/accounts/{account_id}/sub-accounts', {
        params: { path: account, query: after === undefined ? {} : { after } },
      }),
    ),
  );
  const suspend = useAction(
    ({ id, status }: SubAccount) => {
      const params = { path: { ...account, sub_account_id: id } };
      return status === 'suspended'
        ? read(api.POST('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/unsuspend', { params }))
        : read(
            api.POST('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/suspend', {
              params,
              body: { reason: t.subAccounts.reason },
            }),
          );
    },
    { changes: [['sub-accounts']], done: () => notify(t.saved) },
  );
  const columns: readonly Column<SubAccount>[] = maySuspend
    ? [
        ...COLUMNS,
        {
          id: 'suspend',
          title: '',
          width: '8rem',
          end: true,
          cell: (row) =>
            (row.status === 'active' || row.status === 'suspended') && (
              <Button className="min-h-7" onClick={() => suspend.mutate(row)}>
                {row.status === 'suspended' ? t.subAccounts.unsuspend : t.subAccounts.suspend}
              </Button>
            ),
        },
      ]
    : COLUMNS;
  const add = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {t.subAccounts.add}
    </Button>
  );
  return (
    <Section title={t.subAccounts.title} lead={t.subAccounts.lead} actions={add}>
      <RowsTable
        label={t.subAccounts.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        curl={<Curl path="/sub-accounts" />}
        empty={<Empty title={t.subAccounts.none}>{t.subAccounts.lead}</Empty>}
      />
      {isAdding && <Add onClose={() => setAdding(false)} />}
    </Section>
  );
}

const COLUMNS: readonly Column<SubAccount>[] = [
  {
    id: 'name',
    title: t.webhooks.name,
    width: 'minmax(0,1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'status',
    title: t.messages.status,
    width: '8rem',
    cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'bad'}>{status}</Badge>,
  },
  {
    id: 'credit',
    title: t.subAccounts.credit,
    width: '8rem',
    wide: true,
    end: true,
    cell: ({ monthly_credit }) => monthly_credit.toLocaleString('en'),
  },
  {
    id: 'activity',
    title: t.subAccounts.activity,
    width: '8rem',
    wide: true,
    end: true,
    cell: ({ last_activity_at: at }) => (at === null ? t.never : <Time at={at} ago />),
  },
];

function Add({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const [name, setName] = useState('');
  const [website, setWebsite] = useState('');
  const add = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/sub-accounts', {
          params: { path: account, header: once() },
          body: { name: name.trim(), website: website.trim() },
        }),
      ),
    { changes: [['sub-accounts']], quiet: true, done: onClose },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(undefined);
  };
  return (
    <Modal title={t.subAccounts.add} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Input
          label={t.webhooks.name}
          autoFocus
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Input
          label={t.settings.fields.website}
          required
          value={website}
          onChange={(event) => setWebsite(event.target.value)}
          error={add.error?.message}
        />
        <ModalActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="primary" busy={add.isPending}>
            {t.subAccounts.add}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
