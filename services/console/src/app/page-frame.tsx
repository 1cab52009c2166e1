import { CSPProvider } from '@base-ui/react/csp-provider';
import { Link, Outlet, useRouterState, type LinkProps } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { IconButton } from '../ui/button';
import { Icon } from '../ui/icons';
import { Toasts } from '../ui/toasts';
import { t } from '../words/words';
import { CommandMenu, type NavigationPlace, type UseCommands } from './command-menu';

const CURRENT = { className: 'bg-surface text-ink shadow-[inset_2px_0_0_var(--accent)] font-medium' };
const OTHER = { className: 'text-ink-2 hover:bg-surface/70 hover:text-ink' };

const KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

function Navigation({ places }: { places: readonly (readonly NavigationPlace[])[] }) {
  return (
    <nav aria-label={t.nav.label} className="flex flex-col gap-4">
      {places.map((group) => (
        <ul key={group[0]?.to} className="flex flex-col gap-px">
          {group.map(({ to, label, icon }) => (
            <li key={to}>
              <Link
                // the routes of members and of operators are two trees, of which the types know one
                {...({ to } as LinkProps)}
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

/**
 * The frame of each page, of members and of operators: navigation, the command menu with its key, and the page itself.
 * @param head the title, or the choice of an account: above the navigation, and at the top of a phone
 * @param foot the menu of the person
 * @param notice a line above each page
 * @param children dialogs of each page
 */
export function PageFrame({
  places,
  head,
  foot,
  notice,
  useCommands,
  placeholder,
  children,
}: {
  places: readonly (readonly NavigationPlace[])[];
  head: ReactNode;
  foot: ReactNode;
  notice?: ReactNode;
  useCommands: UseCommands;
  placeholder: string;
  children?: ReactNode;
}) {
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
          <div className="min-w-0 flex-1">{head}</div>
          <IconButton icon="search" label={t.command.open} onClick={() => setSearching(true)} />
        </div>
        <aside
          className={`${isOpen ? 'fixed inset-x-0 top-[49px] bottom-0 z-20 flex overflow-y-auto' : 'hidden'} flex-col gap-4 border-line bg-sunken p-3 md:sticky md:top-0 md:flex md:h-dvh md:border-r`}
        >
          <div className="max-md:hidden">{head}</div>
          <button
            type="button"
            onClick={() => setSearching(true)}
            className="flex items-center gap-2 rounded-md border border-edge/60 bg-surface px-2.5 py-1.5 text-left text-sm text-ink-3 hover:border-edge"
          >
            <Icon name="search" />
            <span className="flex-1">{t.command.hint}</span>
            <kbd className="font-sans text-xs">{KEY}</kbd>
          </button>
          <Navigation places={places} />
          <div className="mt-auto">{foot}</div>
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 outline-none">
          {notice}
          <Outlet />
        </main>
      </div>
      {children}
      {isSearching && (
        <CommandMenu
          onClose={() => setSearching(false)}
          useCommands={useCommands}
          placeholder={placeholder}
        />
      )}
      <Toasts />
    </CSPProvider>
  );
}
