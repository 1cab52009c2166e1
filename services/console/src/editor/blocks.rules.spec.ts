import { describe, expect, it } from 'vitest';
import {
  change,
  codeOfSheet,
  designOfCode,
  duplicate,
  EMPTY_SHEET,
  historyOf,
  insertAfter,
  KINDS,
  move,
  NEW_BLOCKS,
  OUTLINE_SHEET,
  record,
  redo,
  remove,
  sheetOfCode,
  undo,
  withMark,
  type Sheet,
} from './blocks.rules';

const text = (words: string) => ({ ...NEW_BLOCKS.text, text: words });
const sheet = (...words: string[]) =>
  words.reduce((made, word) => insertAfter(made, undefined, text(word)), EMPTY_SHEET);
const words = ({ items }: Sheet) => items.map(({ block }) => ('text' in block ? block.text : block.kind));
const keyOf = (of: Sheet, word: string) => of.items[words(of).indexOf(word)]?.key ?? -1;

describe('blocks', () => {
  it('are added at the end, or after another one', () => {
    const two = sheet('a', 'b');
    expect(words(insertAfter(two, keyOf(two, 'a'), text('c')))).toEqual(['a', 'c', 'b']);
    expect(words(insertAfter(two, 99, text('c')))).toEqual(['a', 'b', 'c']);
  });

  it('are moved by one place, and stay at the ends', () => {
    const three = sheet('a', 'b', 'c');
    expect(words(move(three, keyOf(three, 'b'), -1))).toEqual(['b', 'a', 'c']);
    expect(words(move(three, keyOf(three, 'b'), 1))).toEqual(['a', 'c', 'b']);
    expect(move(three, keyOf(three, 'a'), -1)).toBe(three);
    expect(move(three, keyOf(three, 'c'), 1)).toBe(three);
  });

  it('are duplicated with a key of their own, changed and deleted', () => {
    const two = sheet('a', 'b');
    const copied = duplicate(two, keyOf(two, 'a'));
    expect(words(copied)).toEqual(['a', 'a', 'b']);
    expect(new Set(copied.items.map(({ key }) => key)).size).toBe(3);
    const key = copied.items[1]?.key ?? -1;
    expect(words(change(copied, key, text('x')))).toEqual(['a', 'x', 'b']);
    expect(words(remove(copied, key))).toEqual(['a', 'b']);
    // a key is not given twice
    const again = insertAfter(remove(copied, key), undefined, text('c'));
    expect(again.items.at(-1)?.key).not.toBe(key);
  });
});

describe('the history', () => {
  it('goes back and forth, and a new change ends what was undone', () => {
    const [a, b, c] = [sheet('a'), sheet('a', 'b'), sheet('c')];
    let history = record(record(historyOf(a), b), c);
    history = undo(undo(undo(history)));
    expect(history.present).toBe(a);
    history = redo(history);
    expect(history.present).toBe(b);
    expect(redo(record(history, a)).present).toBe(a);
  });

  it('takes the keystrokes in one field as one step', () => {
    const start = sheet('');
    const key = start.items[0]?.key ?? -1;
    const typed = ['H', 'Hi', 'Hi!'].reduce(
      (history, typing) => record(history, change(start, key, text(typing)), '0.text'),
      historyOf(start),
    );
    expect(words(typed.present)).toEqual(['Hi!']);
    expect(undo(typed).present).toBe(start);
    expect(record(typed, typed.present)).toBe(typed);
  });

  it('is bounded', () => {
    let history = historyOf(sheet('a'));
    for (let nth = 0; nth < 500; nth += 1) history = record(history, sheet(`${nth}`));
    expect(history.past).toHaveLength(200);
  });
});

describe('the JSON of a design', () => {
  it('is that of its blocks, and back', () => {
    const every = KINDS.reduce((made, kind) => insertAfter(made, undefined, NEW_BLOCKS[kind]), OUTLINE_SHEET);
    expect(codeOfSheet(sheetOfCode(codeOfSheet(every)) ?? EMPTY_SHEET)).toBe(codeOfSheet(every));
    expect(designOfCode('')?.blocks).toEqual([]);
  });

  it.each([
    'x',
    'null',
    '[]',
    '{"version":2,"rows":[]}',
    codeOfSheet(sheet('a')).replace('"text": "a"', '"text": 1'),
    codeOfSheet(sheet('a')).replace('"text": "a",', ''),
    codeOfSheet(sheet('a')).replace('"kind": "text"', '"kind": "toString"'),
    codeOfSheet(sheet('a')).replace('"version": 1', '"version": 1, "more": 1').replace('"sans"', '1'),
  ])('is none: %s', (code) => expect(designOfCode(code)).toBeUndefined());
});

it.each([
  ['bold', { text: 'a **bc** d', start: 4, end: 6 }],
  ['italic', { text: 'a *bc* d', start: 3, end: 5 }],
  ['link', { text: 'a [bc](https://) d', start: 7, end: 15 }],
] as const)('%s is set around the selected words', (mark, marked) =>
  expect(withMark({ text: 'a bc d', start: 2, end: 4 }, mark)).toEqual(marked),
);
