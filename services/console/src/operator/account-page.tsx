import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../ui/badge';
import { Facts, Page, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { call, get, to, useParam, type PageOf } from './api';
import { accountTone, type Account } from './account';
import { accountLink, Act, ActionWithText, At, Code, numberText, Table } from './parts';
import { w } from './words';

type Shown = Account & { member_count: number; sub_account_count: number; api_key_count: number };
interface Member {
  user_id: string;
  email: string;
  name: string;
  role: string;
  owner: boolean;
}

const CHANGES = [['account'], ['accounts']];
const done = () => notify(w.accounts.changed);

export function AccountPage() {
  const id = useParam('accountId');
  const path = `accounts/accounts/${encodeURIComponent(id)}`;
  const query = useQuery({ queryKey: ['account', id], queryFn: () => get<Shown>(path) });
  const account = query.data;
  return (
    <Page
      title={account?.name ?? w.account}
      actions={account && account.deleted_at === null && <States of={account} path={path} />}
    >
      <Loaded query={query}>
        {(shown) => (
          <>
            <Section title={w.accounts.about}>
              <About of={shown} />
            </Section>
            <Section title={w.accounts.members}>
              <Members path={path} id={id} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function States({ of: account, path }: { of: Account; path: string }) {
  const post = (action: string) => () => call('POST', `${path}/${action}`);
  const withReason = (action: string) => (reason: string) => call('POST', `${path}/${action}`, { reason });
  return (
    <>
      {account.suspended_at === null ? (
        <ActionWithText
          label={w.accounts.suspend}
          text={w.accounts.suspendText}
          field={w.reason}
          run={withReason('suspend')}
          changes={CHANGES}
          done={done}
          danger
        />
      ) : (
        <Act label={w.accounts.resume} run={post('resume')} changes={CHANGES} done={done} />
      )}
      {account.blocked_at === null ? (
        <ActionWithText
          label={w.accounts.block}
          text={w.accounts.blockText}
          field={w.reason}
          run={withReason('block')}
          changes={CHANGES}
          done={done}
          danger
        />
      ) : (
        <Act label={w.accounts.unblock} run={post('unblock')} changes={CHANGES} done={done} />
      )}
    </>
  );
}

const About = ({ of: account }: { of: Shown }) => (
  <div className="panel p-4">
    <Facts
      rows={[
        [
          w.accounts.state,
          <Badge key="state" tone={accountTone(account.state)}>
            {account.state}
          </Badge>,
        ],
        account.suspended_at !== null && [
          w.accounts.suspend,
          <>
            <At at={account.suspended_at} /> {account.suspended_by}: {account.suspension_reason}
          </>,
        ],
        account.blocked_at !== null && [
          w.accounts.block,
          <>
            <At at={account.blocked_at} /> {account.block_reason}
          </>,
        ],
        [w.accounts.owner, account.owner_email],
        [w.account, <Code key="id">{account.id}</Code>],
        account.parent_account_id !== null && [
          w.accounts.parent,
          <Link
            key="parent"
            {...to(accountLink(account.parent_account_id))}
            className="text-accent hover:underline"
          >
            <Code>{account.parent_account_id}</Code>
          </Link>,
        ],
        [w.accounts.credit, account.monthly_credit > 0 ? numberText(account.monthly_credit) : w.unlimited],
        [w.accounts.keys, numberText(account.api_key_count)],
        [w.accounts.subAccounts, numberText(account.sub_account_count)],
        [w.accounts.since, <At key="since" at={account.created_at} />],
        [
          w.nav.audit,
          <Link
            key="audit"
            {...to('/audit')}
            search={{ account: account.id } as never}
            className="text-accent hover:underline"
          >
            {w.accounts.audit}
          </Link>,
        ],
      ]}
    />
  </div>
);

function Members({ path, id }: { path: string; id: string }) {
  const query = useQuery({
    queryKey: ['account', id, 'members'],
    queryFn: () => get<PageOf<Member>>(`${path}/members`),
  });
  return (
    <Loaded query={query}>
      {({ data }) => (
        <Table
          label={w.accounts.members}
          rows={data}
          keyOf={({ user_id }) => user_id}
          empty={w.none}
          columns={[
            {
              title: w.accounts.name,
              cell: ({ email, name }) => (
                <>
                  <span className="font-medium">{email}</span>
                  {name && <span className="block text-xs text-ink-3">{name}</span>}
                </>
              ),
            },
            {
              title: w.accounts.role,
              cell: ({ role, owner }) => (
                <>
                  {role} {owner && <Badge tone="accent">{w.accounts.isOwner}</Badge>}
                </>
              ),
            },
          ]}
        />
      )}
    </Loaded>
  );
}
