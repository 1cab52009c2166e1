import { Menu } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';

export interface MenuEntry {
  readonly label: ReactNode;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

/** Groups of entries that a button opens. */
export function ActionMenu({
  trigger,
  groups,
  header,
  align = 'end',
}: {
  trigger: ReactElement;
  groups: readonly (readonly MenuEntry[])[];
  header?: ReactNode;
  align?: 'start' | 'end';
}) {
  return (
    <Menu.Root>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align={align} className="z-40">
          <Menu.Popup className="panel arrive max-h-[70dvh] min-w-48 overflow-y-auto p-1 text-sm shadow-float outline-none">
            {header && <div className="border-b border-line px-2.5 py-2 text-xs text-ink-3">{header}</div>}
            {groups.map((entries, index) => (
              <Menu.Group
                key={index}
                className="border-line not-first:mt-1 not-first:border-t not-first:pt-1"
              >
                {entries.map(({ label, onSelect, danger, disabled }, at) => (
                  <Menu.Item
                    key={at}
                    disabled={disabled ?? false}
                    onClick={onSelect}
                    className={`flex cursor-pointer items-center justify-between gap-4 rounded-sm px-2.5 py-1.5 outline-none data-disabled:cursor-default data-disabled:opacity-50 data-highlighted:bg-sunken ${danger ? 'text-bad' : ''}`}
                  >
                    {label}
                  </Menu.Item>
                ))}
              </Menu.Group>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
