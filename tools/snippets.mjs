// @ts-check
// The snippets of the documentation: each command and program is executed by a test, or says why not. Words behind the
// language of a fence say which:
//   run               a shell command; the commands of a page run in their order, in one shell
//   run until=TEXT    repeated until its output has the text
//   run background    runs until the page ends
//   run later …       of these three, one that needs a language or a program that not every machine has: in the full tier
//   prelude           runs first on every page
//   file=NAME         written into a file, which a later command of the page names
//   output            the lines that the command before has printed, at least
//   not-run="REASON"
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listDocuments } from './docs.mjs';

/** @typedef {{ language: string, words: string, text: string, line: number }} Fence */

/** Data and configurations of other programs. */
const NO_CODE = new Set(['', 'text', 'json', 'jsonc', 'yaml', 'ini', 'http', 'sql']);
const KINDS = /^(?:run(?: later)?(?: until=\S+| background)?|prelude|file=[\w.-]+|output|not-run="[^"]+")$/;
const LATER = /^run later/;
/** How often, a third of a second apart, a command is repeated. */
const MOST_TRIES = 100;
/** Written by the runner before the output of a command. */
const MARK = '\u001dfence ';

/** @param {string} text @returns {Fence[]} */
export const fencesOf = (text) =>
  [...text.matchAll(/^( *)```(\w*) *([^\n]*)\n([\s\S]*?)^\1```$/gm)].map(
    ({ 2: language = '', 3: words = '', 4: body = '', index }) => ({
      language,
      words: words.trim(),
      text: body,
      line: text.slice(0, index).split('\n').length,
    }),
  );

/**
 * @param {string} text of a page @param {string} heading such as `## Restore`
 * @returns {Fence[]} those below it, until the next heading of its level. @throws Error when the page has no such heading
 */
export function fencesBelow(text, heading) {
  const lines = text.split('\n');
  const from = lines.indexOf(heading);
  if (from === -1) throw new Error(`no heading '${heading}'`);
  const level = `${heading.split(' ', 1)[0]} `;
  const next = lines.findIndex((line, at) => at > from && line.startsWith(level));
  const to = next === -1 ? lines.length : next;
  return fencesOf(text).filter(({ line }) => line > from && line <= to);
}

/** @param {string} path @param {Fence[]} fences @returns {string[]} one line per snippet without a test and without a reason */
export function snippetFaults(path, fences) {
  return fences.flatMap(({ language, words, line }, at) => {
    const say = (/** @type {string} */ what) => [`${path}:${line}: ${what}`];
    if (words === '' && !NO_CODE.has(language)) return say('is neither executed nor says why not');
    if (words !== '' && !KINDS.test(words)) return say(`'${words}' is no mark of a snippet`);
    const [, file] = /^file=(.*)$/.exec(words) ?? [];
    const later = fences.slice(at + 1).filter(({ words: mark }) => mark.startsWith('run'));
    if (file !== undefined && !later.some(({ text }) => text.includes(file)))
      return say(`no command names ${file}`);
    if (words === 'output' && !fences[at - 1]?.words.startsWith('run'))
      return say('is the output of no command');
    return [];
  });
}

/** @param {string} root @returns {Map<string, Fence[]>} by document */
export const allSnippets = (root) =>
  new Map(
    [...listDocuments(root), ...['node', 'python', 'go'].map((sdk) => `sdks/${sdk}/README.md`)].map(
      (path) => [path, fencesOf(readFileSync(join(root, path), 'utf8'))],
    ),
  );

/** @param {string} words of a fence */
const isLater = (words) => LATER.test(words);

/** @param {string} text quoted for the shell */
const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * @param {Fence[]} fences of a page @param {string} prelude
 * @param {{ hasAll?: boolean }} [machine] whether it has the languages and programs of `later`
 * @returns {string} a script for bash, which ends at the first command that fails
 */
export function scriptOf(fences, prelude, { hasAll = false } = {}) {
  const steps = fences.flatMap(({ words: marks, text }, at) => {
    if (isLater(marks) && !hasAll) return [];
    const words = marks.replace(LATER, 'run');
    const [, file] = /^file=(.*)$/.exec(words) ?? [];
    if (file !== undefined) return [`printf %s ${quoted(text)} > ${file}`];
    if (words === 'run background') return [`(exec env ${text.trim()}) & started+=" $!"`];
    const mark = `printf '\\n${MARK}${at}\\n'`;
    const [, until] = /^run until=(.*)$/.exec(words) ?? [];
    if (until !== undefined)
      return [
        `step() { ${text}}`,
        `for try in $(seq ${MOST_TRIES}); do said=$(step 2>&1 || true); case "$said" in *${quoted(until)}*) break ;; esac`,
        `  if [ "$try" = ${MOST_TRIES} ]; then echo "$said" >&2; exit 1; fi; sleep 0.3; done`,
        mark,
        'echo "$said"',
      ];
    return words === 'run' ? [mark, text] : [];
  });
  return [
    'set -euo pipefail',
    "started=''",
    'trap \'for each in $started; do kill "$each" 2>/dev/null || true; done\' EXIT',
    prelude,
    ...steps,
    '',
  ].join('\n');
}

/** @param {Fence[]} fences @param {string} printed by the script @returns {string[]} each expected line that was not printed */
export function missingOutput(fences, printed) {
  const parts = new Map(
    printed
      .split(MARK)
      .slice(1)
      .map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n') + 1)]),
  );
  return fences.flatMap(({ words, text, line }, at) => {
    if (words !== 'output' || (isLater(fences[at - 1]?.words ?? '') && !parts.has(at - 1))) return [];
    const said = (parts.get(at - 1) ?? '').split('\n').map((each) => each.trim());
    return text
      .trim()
      .split('\n')
      .filter((each) => !said.includes(each.trim()))
      .map((each) => `line ${line}: not printed: ${each}; printed: ${said.join(' | ').slice(0, 500)}`);
  });
}
