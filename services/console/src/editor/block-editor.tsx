import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button, IconButton } from '../ui/button';
import { Input, Select } from '../ui/field';
import { Icon } from '../ui/icons';
import { t } from '../words/words';
import { BlockFields } from './block-fields';
import {
  change,
  codeOfSheet,
  duplicate,
  EMPTY_SHEET,
  historyOf,
  insertAfter,
  KINDS,
  move,
  NEW_BLOCKS,
  OUTLINE_SHEET,
  placeOf,
  record,
  redo,
  remove,
  sheetOfCode,
  undo,
  type Block,
  type History,
  type Item,
  type Sheet,
} from './blocks.rules';

/** Parts of a block in the page. */
const HEAD = '[aria-expanded]';
const FIELD = 'fieldset :is(input, textarea, select)';

/** The blocks of a design, edited in fields: `code` is their JSON. */
export default function BlockEditor({
  code,
  onChange,
  readOnly = false,
}: {
  code: string;
  onChange: (code: string) => void;
  readOnly?: boolean;
}) {
  const [history, setHistory] = useState(() => historyOf(sheetOfCode(code) ?? EMPTY_SHEET));
  const [open, setOpen] = useState<number>();
  const [said, say] = useState('');
  const shown = useRef(code);
  const focus = useFocusAfter();
  useEffect(() => {
    // a value from outside: a discarded draft
    if (code === shown.current) return;
    shown.current = code;
    setHistory(historyOf(sheetOfCode(code) ?? EMPTY_SHEET));
  }, [code]);
  const show = (next: History) => {
    setHistory(next);
    shown.current = codeOfSheet(next.present);
    onChange(shown.current);
  };
  const sheet = history.present;
  const edit = (next: Sheet, field?: string) => show(record(history, next, field));
  const add = (block: Block) => {
    const next = insertAfter(sheet, open, block);
    edit(next);
    setOpen(sheet.nextKey);
    focus({ block: sheet.nextKey, part: block.kind === 'divider' ? HEAD : FIELD });
  };
  const step = (item: Item, by: -1 | 1, part: string) => {
    const next = move(sheet, item.key, by);
    edit(next);
    say(t.blocks.moved(placeOf(next, item.key) + 1, next.items.length));
    focus({ block: item.key, part });
  };
  const drop = (item: Item) => {
    const next = remove(sheet, item.key);
    const place = placeOf(sheet, item.key);
    edit(next);
    say(t.blocks.deleted(t.blocks.kinds[item.block.kind]));
    focus({ block: next.items[Math.min(place, next.items.length - 1)]?.key, part: HEAD });
  };
  const travel = (next: History) => {
    if (next.present !== sheet) show(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isWriting = /^(INPUT|TEXTAREA)$/.test((event.target as HTMLElement).tagName);
    if (isWriting || readOnly || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
    event.preventDefault();
    travel(event.shiftKey ? redo(history) : undo(history));
  };
  return (
    <div onKeyDown={onKeyDown} className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="sr-only" role="status">
          {said}
        </p>
        {!readOnly && <Steps history={history} travel={travel} />}
      </div>
      {sheet.items.length === 0 ? (
        <div className="panel px-4 py-6 text-center">
          <p className="text-ink-2">{t.blocks.none}</p>
          {!readOnly && (
            <Button className="mt-3" onClick={() => edit({ ...OUTLINE_SHEET, style: sheet.style })}>
              {t.blocks.outline}
            </Button>
          )}
        </div>
      ) : (
        <ol className="flex flex-col gap-2" aria-label={t.blocks.title}>
          {sheet.items.map((item, place) => (
            <BlockRow
              key={item.key}
              item={item}
              place={place}
              count={sheet.items.length}
              isOpen={open === item.key}
              toggle={() => setOpen(open === item.key ? undefined : item.key)}
              readOnly={readOnly}
              write={(block, field) => edit(change(sheet, item.key, block), `${item.key} ${field}`)}
              step={step}
              copy={() => {
                edit(duplicate(sheet, item.key));
                setOpen(sheet.nextKey);
                focus({ block: sheet.nextKey, part: HEAD });
              }}
              drop={() => drop(item)}
            />
          ))}
        </ol>
      )}
      {!readOnly && (
        <>
          <AddBlock isBelow={placeOf(sheet, open) >= 0} add={add} />
          <StyleFields sheet={sheet} edit={edit} />
        </>
      )}
    </div>
  );
}

function Steps({ history, travel }: { history: History; travel: (next: History) => void }) {
  return (
    <div className="flex gap-1">
      <IconButton
        icon="undo"
        label={t.blocks.undo}
        disabled={history.past.length === 0}
        className="disabled:opacity-40"
        onClick={() => travel(undo(history))}
      />
      <IconButton
        icon="redo"
        label={t.blocks.redo}
        disabled={history.future.length === 0}
        className="disabled:opacity-40"
        onClick={() => travel(redo(history))}
      />
    </div>
  );
}

function AddBlock({ isBelow, add }: { isBelow: boolean; add: (block: Block) => void }) {
  return (
    <fieldset className="panel p-3">
      <legend className="sr-only">{t.blocks.add}</legend>
      <p className="mb-2 text-xs text-ink-3">{isBelow ? t.blocks.addBelow : t.blocks.addAtEnd}</p>
      <div className="flex flex-wrap gap-2">
        {KINDS.map((kind) => (
          <Button key={kind} icon="plus" className="px-2" onClick={() => add(NEW_BLOCKS[kind])}>
            {t.blocks.kinds[kind]}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

/** The focus goes to a part of a block once that is in the page. */
function useFocusAfter() {
  const [wanted, want] = useState<{ block: number | undefined; part: string }>();
  useEffect(() => {
    if (wanted?.block === undefined) return;
    document.querySelector<HTMLElement>(`[data-block="${wanted.block}"] ${wanted.part}`)?.focus();
  }, [wanted]);
  return want;
}

function BlockRow({
  item,
  place,
  count,
  isOpen,
  toggle,
  readOnly,
  write,
  step,
  copy,
  drop,
}: {
  item: Item;
  place: number;
  count: number;
  isOpen: boolean;
  toggle: () => void;
  readOnly: boolean;
  write: (block: Block, field: string) => void;
  step: (item: Item, by: -1 | 1, part: string) => void;
  copy: () => void;
  drop: () => void;
}) {
  const { block } = item;
  const kind = t.blocks.kinds[block.kind];
  const name = t.blocks.nth(kind, place + 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined;
    if (!event.altKey || by === undefined || readOnly) return;
    event.preventDefault();
    step(item, by, HEAD);
  };
  return (
    <li className="panel" data-block={item.key}>
      <div className="flex items-center gap-0.5 pr-1">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={toggle}
          onKeyDown={onKeyDown}
          className="flex min-w-0 grow items-center gap-2 rounded-md px-3 py-2 text-left"
        >
          <Icon name={isOpen ? 'down' : 'right'} />
          <span className="shrink-0 text-sm font-medium">{kind}</span>
          <span className="min-w-0 truncate text-sm text-ink-3">{summaryOf(block)}</span>
        </button>
        {!readOnly && (
          <>
            <IconButton
              icon="up"
              label={t.blocks.up(name)}
              data-part="up"
              aria-disabled={place === 0}
              className="aria-disabled:opacity-40"
              onClick={() => step(item, -1, '[data-part=up]')}
            />
            <IconButton
              icon="down"
              label={t.blocks.down(name)}
              data-part="down"
              aria-disabled={place === count - 1}
              className="aria-disabled:opacity-40"
              onClick={() => step(item, 1, '[data-part=down]')}
            />
            <IconButton icon="copy" label={t.blocks.duplicate(name)} onClick={copy} />
            <IconButton icon="trash" label={t.blocks.delete(name)} onClick={drop} />
          </>
        )}
      </div>
      {isOpen && (
        <fieldset disabled={readOnly} className="flex flex-col gap-3 border-t border-line p-3">
          <legend className="sr-only">{name}</legend>
          <BlockFields block={block} write={write} />
        </fieldset>
      )}
    </li>
  );
}

function summaryOf(block: Block): string {
  if ('text' in block) return block.text;
  if (block.kind === 'button') return block.label;
  return block.kind === 'image' ? block.alt || block.url : '';
}

function StyleFields({ sheet, edit }: { sheet: Sheet; edit: (next: Sheet, field?: string) => void }) {
  const { style } = sheet;
  const set = (changed: Partial<typeof style>) =>
    edit({ ...sheet, style: { ...style, ...changed } }, `style ${Object.keys(changed).join(' ')}`);
  return (
    <details className="panel p-3">
      <summary className="text-sm font-medium">{t.blocks.style}</summary>
      <div className="mt-3 grid gap-3 sm:grid-cols-3">
        <Input
          type="color"
          label={t.blocks.accent}
          value={style.accent}
          className="p-0.5"
          onChange={(event) => set({ accent: event.target.value })}
        />
        <Input
          type="color"
          label={t.blocks.background}
          value={style.background}
          className="p-0.5"
          onChange={(event) => set({ background: event.target.value })}
        />
        <Select
          label={t.blocks.font}
          options={t.blocks.fonts}
          value={style.font}
          onChange={(event) => set({ font: event.target.value as typeof style.font })}
        />
      </div>
    </details>
  );
}
