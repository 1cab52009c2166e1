import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCan } from '../api/session';
import { Page, Tabs } from '../ui/page';
import { t } from '../words/words';
import { AccountSettings } from './account-settings';
import { Audit } from './audit';
import { Members } from './members';
import { Passkeys } from './passkeys';
import { Sessions } from './sessions';
import { SubAccounts } from './sub-accounts';

export function SettingsPage() {
  const { tab = 'account' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const seesMembers = useCan('accounts:members:read');
  const seesSubAccounts = useCan('sub-accounts:read');
  const isAdministrator = useCan('accounts:members:update');
  return (
    <Page title={t.settings.title}>
      <Tabs
        label={t.settings.title}
        current={tab}
        choose={(next) => void navigate({ to: '/settings', search: { tab: next }, replace: true })}
        tabs={[
          { id: 'account', label: t.settings.account },
          ...(seesMembers ? [{ id: 'members', label: t.members.title }] : []),
          { id: 'sign-in', label: t.settings.signIn },
          ...(seesSubAccounts ? [{ id: 'sub-accounts', label: t.subAccounts.title }] : []),
          ...(isAdministrator ? [{ id: 'audit', label: t.audit.title }] : []),
        ]}
      />
      {tab === 'account' && <AccountSettings />}
      {tab === 'members' && <Members />}
      {tab === 'sign-in' && (
        <>
          <Passkeys />
          <Sessions />
        </>
      )}
      {tab === 'sub-accounts' && <SubAccounts />}
      {tab === 'audit' && <Audit />}
    </Page>
  );
}
