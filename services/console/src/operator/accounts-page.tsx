import { useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useRows } from '../api/pages';
import { Badge } from '../ui/badge';
import { Select } from '../ui/field';
import { Page } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { SearchBox } from '../ui/search-box';
import { Empty } from '../ui/states';
import { Time } from '../ui/times';
import { get, pathOf, to, useSearchText, type PageOf } from './api';
import { accountTone, type Account } from './account';
import { accountLink } from './parts';
import { w } from './words';

const COLUMNS: readonly Column<Account>[] = [
  {
    id: 'name',
    title: w.accounts.name,
    width: 'minmax(0,1.4fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'owner',
    title: w.accounts.owner,
    width: 'minmax(0,1.4fr)',
    wide: true,
    cell: ({ owner_email }) => owner_email,
  },
  {
    id: 'state',
    title: w.accounts.state,
    width: '9rem',
    cell: ({ state }) => <Badge tone={accountTone(state)}>{state}</Badge>,
  },
  {
    id: 'since',
    title: w.accounts.since,
    width: '6rem',
    end: true,
    cell: ({ created_at }) => <Time at={created_at} ago />,
  },
];

export function AccountsPage() {
  const search = useSearchText('search');
  const state = useSearchText('state');
  const list = useRows<Account>(['accounts', search, state], (after) =>
    get<PageOf<Account>>(pathOf('accounts/accounts', { search, state, after })),
  );
  return (
    <Page title={w.nav.accounts} lead={w.accounts.lead}>
      <Filters search={search ?? ''} state={state ?? ''} />
      <RowsTable
        label={w.nav.accounts}
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => to(accountLink(id))}
        empty={<Empty title={w.accounts.none} />}
      />
    </Page>
  );
}

function Filters({ search, state }: { search: string; state: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(search);
  const go = (next: { search?: string; state?: string }) =>
    void navigate({ ...to('/accounts'), search: { search, state, ...next } } as never);
  const submit = (given: string) => go({ search: given });
  return (
    <div className="mb-4 flex flex-wrap gap-3">
      <SearchBox
        label={w.accounts.search}
        text={text}
        setText={setText}
        search={submit}
        className="min-w-0 flex-1 sm:max-w-md"
      />
      <Select
        bare
        label={w.accounts.state}
        options={w.accounts.states}
        value={state}
        onChange={(event) => go({ state: event.target.value })}
      />
    </div>
  );
}
