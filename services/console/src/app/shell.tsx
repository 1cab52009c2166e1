import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useAsked } from '../api/confirmation';
import { useLive } from '../api/live';
import { signOut, switchAccount, useSession } from '../api/session';
import { Icon } from '../ui/icons';
import { ActionMenu } from '../ui/menu';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { useCommands } from './commands';
import { usePlaces } from './navigation';
import { PageFrame } from './page-frame';
import { PersonMenu } from './person-menu';

function AccountSwitch() {
  const { account, accounts } = useSession();
  const navigate = useNavigate();
  const choose = (id: string) =>
    void switchAccount(id)
      .then(() => navigate({ to: '/' }))
      .catch((error: Error) => notify(error.message, 'bad'));
  return (
    <ActionMenu
      align="start"
      header={t.account.choose}
      groups={[
        accounts.map(({ id, name, roles }) => ({
          label: (
            <>
              <span className="truncate">{name}</span>
              <span className="text-xs text-ink-3">
                {id === account.id ? <Icon name="check" /> : roles.join(', ')}
              </span>
            </>
          ),
          onSelect: () => choose(id),
        })),
      ]}
      trigger={
        <button
          type="button"
          className="flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-surface"
        >
          <img src="/console/mark.svg" alt="" width="24" height="24" />
          <span className="min-w-0 flex-1 truncate font-semibold">{account.name}</span>
          <Icon name="down" className="text-ink-3" />
        </button>
      }
    />
  );
}

function Suspended() {
  const { account } = useSession();
  if (account.status === 'active') return null;
  return (
    <p role="status" className="flex items-center gap-3 bg-bad-soft px-4 py-3 font-medium text-bad sm:px-8">
      <Icon name="warning" className="shrink-0" />
      {t.account[account.status]}
    </p>
  );
}

function MemberMenu() {
  const { member, roles } = useSession();
  const navigate = useNavigate();
  const leave = () =>
    void signOut()
      .then(() => navigate({ to: '/sign-in' }))
      .catch((error: Error) => notify(error.message, 'bad'));
  return (
    <PersonMenu
      name={member.name || member.email}
      header={
        <>
          <span className="block text-sm text-ink">{member.email}</span>
          {roles.join(', ')}
        </>
      }
      entries={[
        { label: t.member.reference, onSelect: () => void window.open('/docs', '_blank', 'noopener') },
        {
          label: t.member.sessions,
          onSelect: () => void navigate({ to: '/settings', search: { tab: 'sign-in' } }),
        },
        { label: t.member.signOut, onSelect: leave },
      ]}
    />
  );
}

const ConfirmDialog = lazy(() => import('./confirm-dialog'));

export function Shell() {
  useLive();
  const asked = useAsked();
  return (
    <PageFrame
      places={usePlaces()}
      head={<AccountSwitch />}
      foot={<MemberMenu />}
      notice={<Suspended />}
      useCommands={useCommands}
      placeholder={t.command.placeholder}
    >
      {asked && (
        <Suspense>
          <ConfirmDialog />
        </Suspense>
      )}
    </PageFrame>
  );
}
