import { useSyncExternalStore, type ReactNode } from 'react';
import { Icon } from '../ui/icons';
import { ActionMenu, type MenuEntry } from '../ui/menu';
import { useZone, zone } from '../ui/times';
import { t } from '../words/words';
import { theme, type Theme } from './theme';

const NEXT_THEME: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

const Choice = ({ name, chosen }: { name: string; chosen: string }) => (
  <>
    {name} <span className="text-ink-3">{chosen}</span>
  </>
);

/** The menu of the person who is signed in: colours, times, and what else they have. */
export function PersonMenu({
  name,
  header,
  entries,
}: {
  name: string;
  header: ReactNode;
  entries: readonly MenuEntry[];
}) {
  const chosen = useSyncExternalStore(theme.subscribe, theme.get);
  const of = useZone();
  const looks: MenuEntry[] = [
    {
      label: <Choice name={t.member.theme} chosen={t.member.themes[chosen]} />,
      onSelect: () => theme.set(NEXT_THEME[chosen]),
    },
    {
      label: <Choice name={t.member.times} chosen={t.member.zones[of]} />,
      onSelect: () => zone.set(of === 'utc' ? 'local' : 'utc'),
    },
  ];
  return (
    <ActionMenu
      align="start"
      header={header}
      groups={[looks, entries]}
      trigger={
        <button
          type="button"
          className="flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-surface"
        >
          <span
            aria-hidden="true"
            className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent uppercase"
          >
            {name.slice(0, 1)}
          </span>
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <Icon name="more" className="text-ink-3" />
        </button>
      }
    />
  );
}
