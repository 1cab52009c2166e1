#!/usr/bin/env node
// @ts-check
// Counts sentence forms of translated English in comments, docs, and the texts in code: errors, log lines, descriptions.
// Each project has a bound, which only falls.
//   node tools/grammar.mjs                      the rate of each project per 1,000 lines
//   node tools/grammar.mjs docs services/x …    also each place, in these folders only
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineAt, textFiles } from './text-files.mjs';

/**
 * The most places that a project may have. A pass over a project lowers its number to the count that this tool prints;
 * a project that is not listed may have none. Never raise a number: write the sentence in another way.
 * @type {Record<string, number>}
 */
export const BOUNDS = {};

/** They name the forms in order to find or to test them. */
const EXEMPT = new Set(['tools/grammar.mjs', 'tools/tests/grammar.test.mjs', 'tools/vocabulary.mjs']);

/** Files whose texts are those of others or fixed: replies of mail servers, mails of tests, released steps of a schema. */
const NOT_OUR_TEXTS =
  /\.spec\.tsx?$|\.test\.mjs$|\.fixture\.ts$|\/test(?:s|ing)?\/|^libs\/smtp-replies\/src\/general-replies|\/embedded\/schema\.ts$/;
/** A text in code: a literal of three words or more on one line. */
const LITERAL = /(['"\u0060])((?:\\.|(?!\1).)*?\s(?:\\.|(?!\1).)*?\s(?:\\.|(?!\1).)*?)\1/g;

/** The beginning of a text, a sentence, a list item or a table cell. */
const START = String.raw`(?:^|[.!?:]["')*_\u0060]*\s|\n\s*\n|(?:^|\n)\s*(?:[-*>|]|\d+\.)\s|\|)[\s*_"'(\u0060]*`;
const NO_QUESTION = String.raw`(?![^.!?|]*\?)`;

/** @type {[name: string, pattern: RegExp, say: string][]} */
const FORMS = [
  [
    'clause as subject',
    new RegExp(`${START}(?:Who|What|Whose|Whoever|Whatever)\\b(?= +[a-z\u0060])${NO_QUESTION}`, 'g'),
    'a noun as the subject',
  ],
  ['fronted Of', new RegExp(`${START}Of (?!course)`, 'g'), 'the subject first'],
  ['told, tells', /\b(?:told|tells)\b/gi, 'notifies, publishes, reports, records'],
  [
    'nobody, somebody',
    /\b(?:nobody|somebody|everybody|whoever)\b/gi,
    'no client, another account, every service',
  ],
  ['beside', /\bbeside\b/gi, 'next to, in addition to, with, while'],
  ['by itself', /\bby itself\b/gi, 'automatically, alone'],
  ['stands', /\b(?:stands?|stood)\b(?!-| (?:for|alone|by)\b)/gi, 'is, is written, is stored'],
  ['goes on', /\b(?:goes|go|went) on\b(?! (?:the|each)\b)/gi, 'continues'],
];

/** @type {Record<string, string>} what begins a comment, by the end of a file's name */
const MARKS = Object.fromEntries([
  ...['ts', 'tsx', 'mts', 'js', 'mjs', 'cjs'].map((end) => [end, '//']),
  ...['yml', 'yaml', 'sh', 'py'].map((end) => [end, '#']),
  ['sql', '--'],
]);

/**
 * @param {string} path decides what is prose
 * @param {string} text
 * @returns {string} the prose in its place: as many lines as the text, code left out
 */
export function proseOf(path, text) {
  const extension = path.split('.').at(-1) ?? '';
  const lines = text.split('\n');
  if (extension === 'md') return withoutFences(lines).join('\n');
  const mark = MARKS[extension];
  if (!mark) return '';
  let inBlock = false;
  return lines
    .map((line) => {
      const opens = mark === '//' && /^\s*\/\*/.test(line);
      const isBlock = inBlock || opens;
      if (isBlock) inBlock = !line.includes('*/');
      if (isBlock) return line.replace(/^\s*\/?\*+\/?\s?|\s*\*\/\s*$/g, '').replace(/^@\w+(?: \{.*\})?/, '.');
      const at = line.search(new RegExp(`(?:^|\\s)${mark}(?:\\s|$)`));
      const code = at === -1 ? line : line.slice(0, at);
      const comment = at === -1 ? '' : line.slice(at).replace(mark, '').trim();
      if (code.trim() === '') return comment;
      // a text in code, and a comment after code, are texts of their own
      const texts =
        mark === '//' && !NOT_OUR_TEXTS.test(path)
          ? [...code.matchAll(LITERAL)].map(([, , text]) => text)
          : [];
      return [...texts, ...(comment === '' ? [] : [comment])].map((text) => `\u2029. ${text}`).join('');
    })
    .join('\n');
}

/** @param {string[]} lines @returns {string[]} blank in blocks of code */
function withoutFences(lines) {
  let inCode = false;
  return lines.map((line) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) inCode = !inCode;
    return inCode || isFence ? '' : line.replace(/^#+ .*/, '').replace(/\x60[^\x60]*\x60/g, '\x60…\x60');
  });
}

/**
 * @param {string} prose
 * @returns {{at: number, form: string, say: string}[]}
 */
export const formsIn = (prose) =>
  FORMS.flatMap(([form, pattern, say]) =>
    [...prose.matchAll(pattern)].map((match) => ({
      at: match.index + match[0].length - 1,
      form,
      say,
    })),
  );

/** @param {string} path @returns {string} */
const projectOf = (path) => /^(?:services|libs)\/[^/]+|^[^/]+(?=\/)/.exec(path)?.[0] ?? '.';

/**
 * @param {string} root
 * @param {string[]} [paths] relative to root; everything when empty
 */
export function countForms(root, paths = []) {
  /** @type {Map<string, {lines: number, places: string[]}>} */
  const projects = new Map();
  for (const path of textFiles(root, paths)) {
    if (EXEMPT.has(path)) continue;
    const prose = proseOf(path, readFileSync(join(root, path), 'utf8'));
    const project = projects.get(projectOf(path)) ?? { lines: 0, places: [] };
    projects.set(projectOf(path), project);
    project.lines += prose.split('\n').filter((line) => line.trim() !== '').length;
    for (const { at, form, say } of formsIn(prose)) {
      project.places.push(`${path}:${lineAt(prose, at)}: ${form}, write: ${say}`);
    }
  }
  return projects;
}

/**
 * @param {ReturnType<typeof countForms>} projects
 * @param {Record<string, number>} bounds
 * @returns {string[]} one line per project above its bound, and per bound of nothing
 */
export function aboveBounds(projects, bounds) {
  const above = [...projects].flatMap(([name, { places }]) => {
    const bound = bounds[name] ?? 0;
    return places.length > bound
      ? [
          `${name}: ${places.length} places of translated English, allowed: ${bound} (node tools/grammar.mjs ${name})`,
        ]
      : [];
  });
  const stale = Object.keys(bounds).filter((name) => !projects.has(name));
  return [...above, ...stale.map((name) => `${name}: has a bound in tools/grammar.mjs, and no text`)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = process.argv.slice(2);
  const projects = countForms(join(import.meta.dirname, '..'), paths);
  for (const [name, { lines, places }] of projects) {
    if (paths.length > 0) places.forEach((place) => console.log(place));
    const rate = ((1000 * places.length) / Math.max(lines, 1)).toFixed(1);
    console.log(`${name}: ${places.length} in ${lines} lines, ${rate} per 1,000; bound ${BOUNDS[name] ?? 0}`);
  }
}
