import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge, type Tone } from '../ui/badge';
import { Button, IconButton } from '../ui/button';
import { Input } from '../ui/field';
import { Page } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { ExportProgress, useCsvExport } from '../ui/save-csv';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { notify, notifyWithUndo, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { AskFirst } from './ask-first';
import { PublicList } from './public-list';

type Member = Schemas['ListMember'];

const TONES: Record<Member['subscription_status'], Tone> = {
  confirmed: 'good',
  unconfirmed: 'warn',
  unsubscribed: 'bad',
  complained: 'bad',
};

const COLUMNS: readonly Column<Member>[] = [
  {
    id: 'email',
    title: t.suppressions.address,
    width: 'minmax(0,1.4fr)',
    cell: ({ email }) => <span className="font-medium">{email}</span>,
  },
  {
    id: 'status',
    title: t.lists.subscription,
    width: '8rem',
    cell: ({ subscription_status: status }) => (
      <Badge tone={TONES[status]}>{t.lists.subscriptions[status]}</Badge>
    ),
  },
  {
    id: 'since',
    title: t.contacts.since,
    width: '7rem',
    wide: true,
    end: true,
    cell: ({ created_at }) => <Time at={created_at} ago />,
  },
];

const HEAD = ['email', 'subscription_status', 'subscribed_at', 'unsubscribed_at', 'created_at'];
const cellsOf = (one: Member): string[] => [
  one.email,
  one.subscription_status,
  one.subscribed_at ?? '',
  one.unsubscribed_at ?? '',
  one.created_at,
];

export function ListPage() {
  const account = useAccount();
  const { listId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const path = { ...account, list_id: listId };
  const mayWrite = useCan('lists:write');
  const mayDelete = useCan('lists:delete');
  const query = useQuery({
    queryKey: ['lists', account.account_id, listId],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/lists/{list_id}', { params: { path } })),
  });
  const fetchPage = (after: string | undefined) =>
    read(
      api.GET('/v2/accounts/{account_id}/lists/{list_id}/contacts', {
        params: { path, query: after === undefined ? {} : { after } },
      }),
    );
  const queryKey = ['list-members', account.account_id, listId];
  const members = useRows<Member>(queryKey, fetchPage);
  const file = useCsvExport<Member>('list.csv', { head: HEAD, cellsOf, queryKey, fetchPage });
  const changes = [['list-members'], ['lists']];
  const put = useAction(
    (email: string) =>
      read(
        api.PUT('/v2/accounts/{account_id}/lists/{list_id}/contacts/{id_or_email}', {
          params: { path: { ...path, id_or_email: email } },
          body: {},
        }),
      ),
    { changes },
  );
  const remove = useAction(
    ({ contact_id }: Member) =>
      read(
        api.DELETE('/v2/accounts/{account_id}/lists/{list_id}/contacts/{id_or_email}', {
          params: { path: { ...path, id_or_email: contact_id } },
        }),
      ),
    {
      changes,
      done: (_answer, { email }) => notifyWithUndo(t.lists.removed(email), () => put.mutate(email)),
    },
  );
  const removeList = useAction(
    () => read(api.DELETE('/v2/accounts/{account_id}/lists/{list_id}', { params: { path } })),
    { changes: [['lists']], done: () => notify(t.keys.deleted(query.data?.name ?? '')) },
  );
  const start = () => {
    void navigate({ to: '/audience', search: { tab: 'lists' } });
    runUnlessUndone(
      t.deleting(query.data?.name ?? ''),
      () => removeList.mutate(undefined),
      () => void navigate({ to: '/audience/lists/$listId', params: { listId } }),
    );
  };
  return (
    <Page
      title={query.data?.name ?? t.lists.tab}
      lead={query.data?.description}
      back={{ to: '/audience', search: { tab: 'lists' }, label: t.lists.tab }}
      actions={
        <>
          <Button onClick={file.start}>{t.exportCsv}</Button>
          {mayDelete && (
            <Button look="danger" icon="trash" onClick={start}>
              {t.delete}
            </Button>
          )}
        </>
      }
    >
      <ExportProgress of={file} />
      {mayWrite && (
        <AddToList
          put={(email) => put.mutate(email, { onSuccess: () => notify(t.lists.added(email)) })}
          busy={put.isPending}
        />
      )}
      {mayWrite && <AskFirst listId={listId} />}
      <RowsTable
        label={t.lists.contacts}
        list={members}
        columns={
          mayWrite
            ? [
                ...COLUMNS,
                {
                  id: 'remove',
                  title: '',
                  width: '2rem',
                  end: true,
                  cell: (row) => (
                    <IconButton
                      icon="close"
                      label={t.lists.remove(row.email)}
                      onClick={() => remove.mutate(row)}
                    />
                  ),
                },
              ]
            : COLUMNS
        }
        keyOf={({ contact_id }) => contact_id}
        curl={<Curl path={`/lists/${listId}/contacts`} />}
        empty={
          <Empty
            title={t.lists.empty}
            curl={
              <Curl
                method="POST"
                path={`/lists/${listId}/contacts/batch`}
                body={{ data: [{ email: 'ann@example.com' }] }}
              />
            }
          >
            {t.lists.emptyText}
          </Empty>
        }
      />
      <PublicList listId={listId} />
    </Page>
  );
}

function AddToList({ put, busy }: { put: (email: string) => void; busy: boolean }) {
  const [email, setEmail] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    put(email.trim());
    setEmail('');
  };
  return (
    <form onSubmit={submit} className="mb-4 flex max-w-md items-end gap-2">
      <div className="flex-1">
        <Input
          label={t.lists.addContact}
          type="email"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </div>
      <Button type="submit" busy={busy}>
        {t.add}
      </Button>
    </form>
  );
}
