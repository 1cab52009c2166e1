import { expect, it } from 'vitest';
import { diffLines } from './line-diff.rules';

const marks = { same: ' ', added: '+', removed: '-' };
const diff = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => marks[kind] + text);

it('keeps the lines that both have, in order', () => {
  expect(diff('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
  expect(diff('a', 'a')).toEqual([' a']);
  expect(diff('', 'a\nb')).toEqual(['-', '+a', '+b']);
});

it('gives each text back', () => {
  const [before, after] = ['one\ntwo\n\nthree\nfour', 'zero\ntwo\nthree\n\nfour\nfive'];
  const lines = diffLines(before, after);
  const textOf = (left: string) =>
    lines
      .filter(({ kind }) => kind !== left)
      .map(({ text }) => text)
      .join('\n');
  expect([textOf('added'), textOf('removed')]).toEqual([before, after]);
});

it('compares long texts in bounded memory', () => {
  const long = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word}${index}`).join('\n');
  expect(diffLines(long('a'), long('b'))).toHaveLength(10_000);
});
