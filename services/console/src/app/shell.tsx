import { CSPProvider } from '@base-ui/react/csp-provider';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { useAsked } from '../api/confirmation';
import { useLive } from '../api/live';
import { signOut, switchAccount, useSession } from '../api/session';
import { IconButton } from '../ui/button';
import { Icon } from '../ui/icons';
import { ActionMenu } from '../ui/menu';
import { useZone, zone } from '../ui/times';
import { notify, Toasts } from '../ui/toasts';
import { t } from '../words/words';
import { CommandMenu } from './command-menu';
import { usePlaces } from './navigation';
import { theme, type Theme } from './theme';

const CURRENT = { className: 'bg-surface text-ink shadow-[inset_2px_0_0_var(--accent)] font-medium' };
const OTHER = { className: 'text-ink-2 hover:bg-surface/70 hover:text-ink' };

function Navigation() {
  return (
    <nav aria-label={t.nav.label} className="flex flex-col gap-4">
      {usePlaces().map((group) => (
        <ul key={group[0]?.to} className="flex flex-col gap-px">
          {group.map(({ to, label, icon }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                activeProps={CURRENT}
                inactiveProps={OTHER}
                className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-sm"
              >
                <Icon name={icon} className="shrink-0 opacity-80" />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

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

const NEXT_THEME: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

function MemberMenu() {
  const { member, roles } = useSession();
  const chosen = useSyncExternalStore(theme.subscribe, theme.get);
  const of = useZone();
  const navigate = useNavigate();
  const leave = () =>
    void signOut()
      .then(() => navigate({ to: '/sign-in' }))
      .catch((error: Error) => notify(error.message, 'bad'));
  return (
    <ActionMenu
      align="start"
      header={
        <>
          <span className="block text-sm text-ink">{member.email}</span>
          {roles.join(', ')}
        </>
      }
      groups={[
        [
          {
            label: (
              <>
                {t.member.theme} <span className="text-ink-3">{t.member.themes[chosen]}</span>
              </>
            ),
            onSelect: () => theme.set(NEXT_THEME[chosen]),
          },
          {
            label: (
              <>
                {t.member.times} <span className="text-ink-3">{t.member.zones[of]}</span>
              </>
            ),
            onSelect: () => zone.set(of === 'utc' ? 'local' : 'utc'),
          },
        ],
        [
          { label: t.member.reference, onSelect: () => void window.open('/docs', '_blank', 'noopener') },
          {
            label: t.member.sessions,
            onSelect: () => void navigate({ to: '/settings', search: { tab: 'sign-in' } }),
          },
          { label: t.member.signOut, onSelect: leave },
        ],
      ]}
      trigger={
        <button
          type="button"
          className="flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-surface"
        >
          <span
            aria-hidden="true"
            className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent uppercase"
          >
            {(member.name || member.email).slice(0, 1)}
          </span>
          <span className="min-w-0 flex-1 truncate">{member.name || member.email}</span>
          <Icon name="more" className="text-ink-3" />
        </button>
      }
    />
  );
}

const ConfirmDialog = lazy(() => import('./confirm-dialog'));

const KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

export function Shell() {
  useLive();
  const asked = useAsked();
  const [isSearching, setSearching] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setSearching((was) => !was);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return (
    <CSPProvider disableStyleElements>
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-ink px-3 py-2 text-canvas focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {t.nav.skip}
      </a>
      <div className="md:grid md:grid-cols-[14rem_minmax(0,1fr)]">
        <div className="airmail h-[3px] md:col-span-2" aria-hidden="true" />
        <div className="sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-sunken px-3 py-2 md:hidden">
          <IconButton
            icon={isOpen ? 'close' : 'menu'}
            label={t.nav.menu}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
          <div className="min-w-0 flex-1">
            <AccountSwitch />
          </div>
          <IconButton icon="search" label={t.command.open} onClick={() => setSearching(true)} />
        </div>
        <aside
          className={`${isOpen ? 'fixed inset-x-0 top-[49px] bottom-0 z-20 flex overflow-y-auto' : 'hidden'} flex-col gap-4 border-line bg-sunken p-3 md:sticky md:top-0 md:flex md:h-dvh md:border-r`}
        >
          <div className="max-md:hidden">
            <AccountSwitch />
          </div>
          <button
            type="button"
            onClick={() => setSearching(true)}
            className="flex items-center gap-2 rounded-md border border-edge/60 bg-surface px-2.5 py-1.5 text-left text-sm text-ink-3 hover:border-edge"
          >
            <Icon name="search" />
            <span className="flex-1">{t.command.hint}</span>
            <kbd className="font-sans text-xs">{KEY}</kbd>
          </button>
          <Navigation />
          <div className="mt-auto">
            <MemberMenu />
          </div>
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 outline-none">
          <Suspended />
          <Outlet />
        </main>
      </div>
      {asked && (
        <Suspense>
          <ConfirmDialog />
        </Suspense>
      )}
      {isSearching && <CommandMenu onClose={() => setSearching(false)} />}
      <Toasts />
    </CSPProvider>
  );
}
