import { useEffect, useId, useRef, useState } from 'react';
import { Icon, type IconName } from '../ui/icons';
import { t } from '../words/words';

/** A page of the navigation. */
export interface NavigationPlace {
  /** the path of its route */
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly note?: string;
  readonly icon: IconName;
  readonly run: () => void;
}

/** The commands for a text; each of them closes the menu first. */
export type UseCommands = (text: string, onClose: () => void) => readonly Command[];

/** The beginning of an id. */
export const ID = /^<?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** The pages whose name has the text. */
export const placeCommands = (
  places: readonly (readonly NavigationPlace[])[],
  text: string,
  go: (to: string) => void,
): Command[] =>
  places
    .flat()
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    .map(({ to, label, icon }) => ({ id: to, label, icon, run: () => go(to) }));

/** One box: pages by name, and what the reader looks for by an id, an address or words. */
export function CommandMenu({
  onClose,
  useCommands,
  placeholder,
}: {
  onClose: () => void;
  useCommands: UseCommands;
  placeholder: string;
}) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const commands = useCommands(text.trim(), onClose);
  const current = commands[Math.min(at, commands.length - 1)];
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const currentId = current && `${id}-${current.id}`;
  useEffect(() => {
    if (currentId !== undefined) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((Math.min(at, commands.length - 1) + step + commands.length) % commands.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      current?.run();
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-label={t.command.open}
      onCancel={onClose}
      onMouseDown={(event) => event.target === event.currentTarget && onClose()}
      className="panel arrive mt-[12dvh] w-[calc(100vw-1.5rem)] max-w-xl overflow-hidden p-0 shadow-float"
    >
      <input
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={currentId}
        aria-label={t.command.open}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        className="w-full border-b border-line bg-transparent px-4 py-3 outline-none"
      />
      <ul id={id} role="listbox" aria-label={t.command.results} className="max-h-80 overflow-y-auto p-1">
        {commands.map((command) => (
          <li
            key={command.id}
            id={`${id}-${command.id}`}
            role="option"
            aria-selected={command === current}
            onMouseMove={() => setAt(commands.indexOf(command))}
            onClick={command.run}
            className={`flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 ${command === current ? 'bg-sunken' : ''}`}
          >
            <Icon name={command.icon} className="shrink-0 text-ink-3" />
            <span className="min-w-0 flex-1 truncate">{command.label}</span>
            {command.note && <span className="text-xs text-ink-3">{command.note}</span>}
          </li>
        ))}
      </ul>
    </dialog>
  );
}
