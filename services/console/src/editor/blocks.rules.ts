import type { ConsoleSchemas } from '../api/client';

export type BlockDesign = ConsoleSchemas['BlockDesign'];
export type Block = BlockDesign['blocks'][number];
export type Kind = Block['kind'];
type Style = BlockDesign['style'];

/** Each kind with the fields of a new block. */
export const NEW_BLOCKS: { readonly [K in Kind]: Extract<Block, { kind: K }> } = {
  heading: { kind: 'heading', text: '', size: 'large', align: 'left' },
  text: { kind: 'text', text: '', align: 'left' },
  button: { kind: 'button', label: '', url: '', align: 'left' },
  image: { kind: 'image', url: '', alt: '', link: '', width: 'full' },
  divider: { kind: 'divider' },
  space: { kind: 'space', size: 'medium' },
  footer: { kind: 'footer', text: '[Unsubscribe]({{ unsubscribe_url }})' },
};
export const KINDS = Object.keys(NEW_BLOCKS) as Kind[];

const STYLE: Style = { accent: '#2563eb', background: '#f3f4f6', font: 'sans' };
const OUTLINE: readonly Block[] = [
  { ...NEW_BLOCKS.heading, text: 'Hello' },
  { ...NEW_BLOCKS.text, text: 'Write here.' },
  NEW_BLOCKS.footer,
];

/** The first design of a new template. */
export const FIRST_DESIGN: BlockDesign = {
  version: 1,
  style: STYLE,
  blocks: [{ ...NEW_BLOCKS.text, text: 'Hello {{ name|default("there") }},' }],
};

/** The first design of a new campaign template: a campaign needs the link that ends it. */
export const FIRST_CAMPAIGN_DESIGN: BlockDesign = {
  version: 1,
  style: STYLE,
  blocks: [{ ...NEW_BLOCKS.text, text: 'Hello {{ first_name|default("there") }},' }, NEW_BLOCKS.footer],
};

/** A block with a key of its own, which stays while it is moved. */
export interface Item {
  readonly key: number;
  readonly block: Block;
}
/** A design as it is edited. */
export interface Sheet {
  readonly style: Style;
  readonly items: readonly Item[];
  readonly nextKey: number;
}

const itemsOf = (blocks: readonly Block[]): Item[] => blocks.map((block, key) => ({ key, block }));
const sheetOf = ({ style, blocks }: BlockDesign): Sheet => ({
  style,
  items: itemsOf(blocks),
  nextKey: blocks.length,
});
export const EMPTY_SHEET: Sheet = sheetOf({ version: 1, style: STYLE, blocks: [] });
export const OUTLINE_SHEET: Sheet = sheetOf({ version: 1, style: STYLE, blocks: [...OUTLINE] });

export const codeOfDesign = (design: BlockDesign): string => JSON.stringify(design, null, 2);
export const codeOfSheet = ({ style, items }: Sheet): string =>
  codeOfDesign({ version: 1, style, blocks: items.map(({ block }) => block) });

/** Reads the JSON that a person may have written. No code is an empty design. @returns undefined when it is no design */
export function designOfCode(code: string): BlockDesign | undefined {
  if (code.trim() === '') return { version: 1, style: STYLE, blocks: [] };
  try {
    const given = JSON.parse(code) as Partial<BlockDesign> | null;
    const { version, style, blocks } = given ?? {};
    if (version !== 1 || !hasFieldsOf(STYLE, style) || !Array.isArray(blocks)) return undefined;
    return blocks.every(isBlock) ? { version, style, blocks } : undefined;
  } catch {
    return undefined;
  }
}

export function sheetOfCode(code: string): Sheet | undefined {
  const design = designOfCode(code);
  return design && sheetOf(design);
}

const isBlock = (given: unknown): given is Block => {
  const kind = (given as { kind?: unknown } | null)?.kind;
  return (
    typeof kind === 'string' &&
    Object.hasOwn(NEW_BLOCKS, kind) &&
    hasFieldsOf(NEW_BLOCKS[kind as Kind], given)
  );
};

/** The values of choices are checked by the server. */
const hasFieldsOf = <T extends object>(wanted: T, given: unknown): given is T =>
  typeof given === 'object' &&
  given !== null &&
  Object.keys(given).length === Object.keys(wanted).length &&
  Object.keys(wanted).every((name) => typeof (given as Record<string, unknown>)[name] === 'string');

export const placeOf = ({ items }: Sheet, key: number | undefined): number =>
  items.findIndex((item) => item.key === key);

/** A new block after this one, or at the end. */
export const insertAfter = (sheet: Sheet, key: number | undefined, block: Block): Sheet => {
  const place = placeOf(sheet, key);
  const at = place < 0 ? sheet.items.length : place + 1;
  return {
    ...sheet,
    items: sheet.items.toSpliced(at, 0, { key: sheet.nextKey, block }),
    nextKey: sheet.nextKey + 1,
  };
};

export function duplicate(sheet: Sheet, key: number): Sheet {
  const block = sheet.items[placeOf(sheet, key)]?.block;
  return block ? insertAfter(sheet, key, block) : sheet;
}

export const remove = (sheet: Sheet, key: number): Sheet => ({
  ...sheet,
  items: sheet.items.filter((item) => item.key !== key),
});

/** @returns the same sheet at an end of it */
export function move(sheet: Sheet, key: number, step: -1 | 1): Sheet {
  const from = placeOf(sheet, key);
  const item = sheet.items[from];
  const to = from + step;
  if (!item || to < 0 || to >= sheet.items.length) return sheet;
  return { ...sheet, items: sheet.items.toSpliced(from, 1).toSpliced(to, 0, item) };
}

export const change = (sheet: Sheet, key: number, block: Block): Sheet => ({
  ...sheet,
  items: sheet.items.map((item) => (item.key === key ? { key, block } : item)),
});

const MOST_STEPS = 200;

/** States that a person can go back to. */
export interface History {
  readonly past: readonly Sheet[];
  readonly present: Sheet;
  readonly future: readonly Sheet[];
  /** the field that is being written: its keystrokes are one step */
  readonly field?: string | undefined;
}

export const historyOf = (present: Sheet): History => ({ past: [], present, future: [] });

export function record(history: History, next: Sheet, field?: string): History {
  if (next === history.present) return history;
  const isSameStep = field !== undefined && field === history.field;
  const past = isSameStep ? history.past : [...history.past, history.present].slice(-MOST_STEPS);
  return { past, present: next, future: [], field };
}

export function undo({ past, present, future }: History): History {
  const before = past.at(-1);
  if (!before) return { past, present, future };
  return { past: past.slice(0, -1), present: before, future: [present, ...future] };
}

export function redo({ past, present, future }: History): History {
  const [next, ...rest] = future;
  return next ? { past: [...past, present], present: next, future: rest } : { past, present, future };
}

/** The words around which a mark is set, and where they are afterwards. */
export interface Marked {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MARKS = { bold: ['**', '**'], italic: ['*', '*'], link: ['[', '](https://)'] } as const;
export type Mark = keyof typeof MARKS;

/** Sets a mark around the selected words; for a link the selection is then its address. */
export function withMark({ text, start, end }: Marked, mark: Mark): Marked {
  const [before, after] = MARKS[mark];
  const words = text.slice(start, end);
  const marked = `${text.slice(0, start)}${before}${words}${after}${text.slice(end)}`;
  const inside = start + before.length;
  if (mark !== 'link') return { text: marked, start: inside, end: inside + words.length };
  const address = inside + words.length + 2;
  return { text: marked, start: address, end: address + 'https://'.length };
}
