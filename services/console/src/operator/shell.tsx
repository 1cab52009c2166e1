import { CSPProvider } from '@base-ui/react/csp-provider';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button, IconButton } from '../ui/button';
import { Icon, type IconName } from '../ui/icons';
import { notify, Toasts } from '../ui/toasts';
import { t } from '../words/words';
import { sessionQuery, signOut, to } from './api';
import { w } from './words';

const PLACES: readonly (readonly (readonly [path: string, label: string, icon: IconName])[])[] = [
  [
    ['/', w.nav.doctor, 'home'],
    ['/queues', w.nav.queues, 'messages'],
    ['/webhooks', w.nav.webhooks, 'webhooks'],
    ['/dead-letters', w.nav.deadLetters, 'warning'],
    ['/jobs', w.nav.jobs, 'clock'],
  ],
  [
    ['/accounts', w.nav.accounts, 'audience'],
    ['/campaigns', w.nav.reviews, 'campaigns'],
    ['/zone', w.nav.zone, 'domains'],
  ],
  [
    ['/audit', w.nav.audit, 'check'],
    ['/installation', w.nav.installation, 'settings'],
  ],
];

const CURRENT = { className: 'bg-surface text-ink shadow-[inset_2px_0_0_var(--accent)] font-medium' };
const OTHER = { className: 'text-ink-2 hover:bg-surface/70 hover:text-ink' };

function Navigation() {
  return (
    <nav aria-label={t.nav.label} className="flex flex-col gap-4">
      {PLACES.map((group) => (
        <ul key={group[0]?.[0]} className="flex flex-col gap-px">
          {group.map(([path, label, icon]) => (
            <li key={path}>
              <Link
                {...to(path)}
                activeOptions={{ exact: path === '/', includeSearch: false }}
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

function Operator() {
  const { operator, idle_minutes } = useSuspenseQuery(sessionQuery).data;
  const { history } = useRouter();
  const leave = () =>
    void signOut()
      .then(() => history.push('/console/sign-in'))
      .catch((error: Error) => notify(error.message, 'bad'));
  return (
    <div className="flex flex-col gap-2 px-2 text-xs text-ink-3">
      <p>{w.signedInAs(operator)}</p>
      <p>{w.idle(idle_minutes)}</p>
      <Button onClick={leave}>{w.signOut}</Button>
    </div>
  );
}

export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setOpen(false), [path]);
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
          <p className="font-semibold">{w.title}</p>
        </div>
        <aside
          className={`${isOpen ? 'fixed inset-x-0 top-[49px] bottom-0 z-20 flex overflow-y-auto' : 'hidden'} flex-col gap-4 border-line bg-sunken p-3 md:sticky md:top-0 md:flex md:h-dvh md:border-r`}
        >
          <p className="flex items-center gap-2 px-2 py-1.5 font-semibold max-md:hidden">
            <img src="/console/mark.svg" alt="" width="24" height="24" />
            {w.title}
          </p>
          <Navigation />
          <div className="mt-auto">
            <Operator />
          </div>
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 outline-none">
          <Outlet />
        </main>
      </div>
      <Toasts />
    </CSPProvider>
  );
}
