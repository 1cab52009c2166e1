import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, once, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { switchAccount, useAccount, useCan, useSession } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { FormModal } from '../ui/form-modal';
import { Section } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

export type SubAccount = Schemas['SubAccount'];

/** The messages of the month, of each account of the family. */
export function useUsage() {
  const account = useAccount();
  return useQuery({
    queryKey: ['sub-accounts', account.account_id, 'usage'],
    enabled: useCan('sub-accounts:usage'),
    queryFn: () =>
      read(api.GET('/v2/accounts/{account_id}/sub-accounts/usage', { params: { path: account } })),
  });
}

/** Opens a page in an account of the member; undefined for an account that is not one of theirs. */
export function useOpen(accountId: string): ((to?: '/domains') => void) | undefined {
  const { accounts } = useSession();
  const navigate = useNavigate();
  if (!accounts.some(({ id }) => id === accountId)) return undefined;
  return (to) =>
    void switchAccount(accountId)
      .then(() => navigate({ to: to ?? '/' }))
      .catch((error: Error) => notify(error.message, 'bad'));
}

export const StatusBadge = ({ status }: Pick<SubAccount, 'status'>) => (
  <Badge tone={status === 'active' ? 'good' : 'bad'}>{status}</Badge>
);

export function SubAccounts() {
  const account = useAccount();
  const [isAdding, setAdding] = useState(false);
  const mayWrite = useCan('sub-accounts:write');
  const usage = useUsage().data;
  const list = useRows<SubAccount>(['sub-accounts', account.account_id], (after) =>
    read(
      api.GET('/v2/accounts/{account_id}/sub-accounts', {
        params: { path: account, query: after === undefined ? {} : { after } },
      }),
    ),
  );
  const add = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {t.subAccounts.add}
    </Button>
  );
  return (
    <Section title={t.subAccounts.title} lead={t.subAccounts.lead} actions={list.rows.length > 0 && add}>
      <RowsTable
        label={t.subAccounts.title}
        list={list}
        columns={columnsOf(new Map(usage?.sub_accounts.map((one) => [one.account_id, one.reception_count])))}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({
          to: '/settings/sub-accounts/$subAccountId',
          params: { subAccountId: id },
        })}
        curl={<Curl path="/sub-accounts" />}
        empty={
          <Empty
            title={t.subAccounts.none}
            action={add}
            curl={
              <Curl method="POST" path="/sub-accounts" body={{ name: 'Acme', website: 'acme.example.com' }} />
            }
          >
            {t.subAccounts.noneText}
          </Empty>
        }
      />
      {usage && list.rows.length > 0 && (
        <p className="mt-3 text-sm text-ink-3">
          {t.subAccounts.family(
            usage.total.reception_count,
            usage.parent.reception_count,
            usage.removed_sub_accounts.reception_count,
          )}
        </p>
      )}
      {isAdding && <Add onClose={() => setAdding(false)} />}
    </Section>
  );
}

/** @param used messages of the month by account */
const columnsOf = (used: ReadonlyMap<string, number>): readonly Column<SubAccount>[] => [
  {
    id: 'name',
    title: t.webhooks.name,
    width: 'minmax(0,1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'status',
    title: t.messages.status,
    width: '9rem',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'month',
    title: t.subAccounts.month,
    width: '11rem',
    wide: true,
    end: true,
    cell: ({ id, monthly_credit }) => {
      const count = used.get(id);
      return count === undefined ? '–' : t.subAccounts.used(count, monthly_credit);
    },
  },
  {
    id: 'domains',
    title: t.nav.domains,
    width: '6rem',
    wide: true,
    end: true,
    cell: ({ domain_count }) => domain_count.toLocaleString('en'),
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
  return (
    <FormModal title={t.subAccounts.add} of={add} submit={() => add.mutate(undefined)} onClose={onClose}>
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
      />
    </FormModal>
  );
}
