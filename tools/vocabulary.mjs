#!/usr/bin/env node
// Finds retired words in identifiers, file names, SQL, comments and docs. The words are in docs/glossary.md.
//   node tools/vocabulary.mjs [services/messages …]
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineAt, textFiles } from './text-files.mjs';

const GLOSSARY = 'docs/glossary.md';
/** They name the words in order to retire or to test them. */
const EXEMPT = new Set([GLOSSARY, 'tools/vocabulary.mjs', 'tools/tests/vocabulary.test.mjs']);
const MAX_SHOWN = 200;

/**
 * @param {string} text of the glossary
 * @returns {{forms: string[][], say: string, allowed: string[][]}[]} words as lists of their parts, in lower case
 */
export function readRetiredWords(text) {
  const section = text.split(/^## Retired words$/m)[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const phrases = (cell) =>
    cell
      .split(',')
      .map((phrase) => phrase.trim().toLowerCase().split(/\s+/))
      .filter(([first]) => first);
  return rows.slice(2).map((row) => {
    const [forms, say, allowed] = row.split('|').slice(1, -1);
    return { forms: phrases(forms), say: say.trim(), allowed: phrases(allowed) };
  });
}

/**
 * @param {string} text
 * @returns {{word: string, at: number, end: number}[]} `ownLetters`, `own_letters` and `own letters` have the same words
 */
function wordsOf(text) {
  return [...text.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    at: index,
    end: index + word.length,
  }));
}

/** Between the words of one term there is nothing, blanks, `_`, `-`, or a line break of a comment. */
const IN_ONE_TERM = /^[\s_\-*/#]*$/;
/** An allowed phrase may have punctuation in it. */
const IN_ONE_PHRASE = /^[^a-z]{0,6}$/i;

/**
 * @param {string} text
 * @param {ReturnType<typeof readRetiredWords>} retired
 * @returns {{at: number, found: string, say: string}[]} places of retired words
 */
export function retiredIn(text, retired) {
  const words = wordsOf(text);
  const matches = (phrase, from, gap) =>
    from >= 0 &&
    phrase.every(
      (part, nr) =>
        words[from + nr]?.word === part &&
        (nr === 0 || gap.test(text.slice(words[from + nr - 1].end, words[from + nr].at))),
    );
  const isAllowed = ({ allowed }, at, length) =>
    allowed.some((phrase) =>
      phrase.some((_, nr) => nr + length <= phrase.length && matches(phrase, at - nr, IN_ONE_PHRASE)),
    );
  const byFirst = new Map();
  for (const entry of retired) {
    for (const form of entry.forms) {
      byFirst.set(form[0], [...(byFirst.get(form[0]) ?? []), { entry, form }]);
    }
  }
  return words.flatMap(({ word, at }, nr) =>
    (byFirst.get(word) ?? [])
      .filter(({ entry, form }) => matches(form, nr, IN_ONE_TERM) && !isAllowed(entry, nr, form.length))
      .map(({ entry, form }) => ({ at, found: form.join(' '), say: entry.say })),
  );
}

/**
 * @param {string} root
 * @param {string[]} [paths] relative to root; everything when empty
 * @returns {{path: string, line: number, found: string, say: string}[]} line 0 = the name of the file
 */
export function findRetiredWords(root, paths = []) {
  const retired = readRetiredWords(readFileSync(join(root, GLOSSARY), 'utf8'));
  return textFiles(root, paths)
    .filter((path) => !EXEMPT.has(path))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return [
        ...retiredIn(path, retired).map(({ found, say }) => ({ path, line: 0, found, say })),
        ...retiredIn(text, retired).map(({ at, found, say }) => ({
          path,
          line: lineAt(text, at),
          found,
          say,
        })),
      ];
    });
}

const projectOf = (path) => /^(?:services|libs)\/[^/]+|^[^/]+/.exec(path)?.[0] ?? path;

/** @returns {string[]} how many of which word per project, the most first */
export function summaryOf(findings) {
  return [...groupBy(findings, ({ path }) => projectOf(path))]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([project, those]) => {
      const words = [...groupBy(those, ({ found }) => found)].sort(([, a], [, b]) => b.length - a.length);
      return `${project}: ${those.length} (${words.map(([word, { length }]) => `${word} ${length}`).join(', ')})`;
    });
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const findings = findRetiredWords(root, process.argv.slice(2));
  for (const { path, line, found, say } of findings.slice(0, MAX_SHOWN)) {
    console.error(`${path}:${line}: "${found}" is retired, say: ${say}`);
  }
  if (findings.length > MAX_SHOWN) console.error(`… and ${findings.length - MAX_SHOWN} more`);
  summaryOf(findings).forEach((one) => console.error(one));
  process.exitCode = findings.length > 0 ? 1 : 0;
}
