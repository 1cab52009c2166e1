// @ts-check
// Builds the console into dist when something that it is made from has changed: `npm start`, the tests of the pages and the
// image run it. Plain Node until Vite is needed.
//   node services/console/build.mjs
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = import.meta.dirname;
const DIST = join(ROOT, 'dist');
/** Next to the files that are served, and none of them. */
const STAMP = join(DIST, '.built-from');
const INPUTS = [
  'src',
  'public',
  'index.html',
  'operator.html',
  'vite.config.mjs',
  'build.mjs',
  '../../package-lock.json',
];

/** The pages of members, and those of operators, which the operator port serves. */
const MEMBERS = 'index.html';
const OPERATORS = 'operator.html';

/** Bytes after gzip. A page is what its route loads on top of the first load; the editor is loaded where one is opened. */
const BUDGETS = { firstScript: 230_000, styles: 25_000, page: 40_000, editor: 200_000 };

/** @param {string} path @returns {string[]} */
const filesBelow = (path) =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)],
  );

/** @returns {string} a hash of everything that decides the result */
function fingerprint() {
  const hash = createHash('sha256');
  for (const input of INPUTS) {
    const path = join(ROOT, input);
    const files = input.includes('.') ? [path] : filesBelow(path).toSorted();
    for (const file of files.filter((name) => !name.endsWith('.spec.ts')))
      hash.update(file.slice(ROOT.length)).update(readFileSync(file));
  }
  return hash.digest('hex');
}

export function isStale() {
  return !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== fingerprint();
}

/** Next to each file that compresses well: `<file>.br` and `<file>.gz`. */
function precompress() {
  for (const file of filesBelow(DIST).filter((name) => /\.(js|css|html|svg)$/.test(name))) {
    const bytes = readFileSync(file);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

/** @typedef {{ file: string, src?: string, isEntry?: boolean, imports?: string[], css?: string[] }} Chunk */

/** @returns {{ firstScripts: Record<string, number>, styles: number, editor: number, pages: Record<string, number> }} bytes after gzip */
function measure() {
  /** @type {Record<string, Chunk>} */
  const manifest = JSON.parse(readFileSync(join(DIST, '.manifest.json'), 'utf8'));
  const sizeOf = (/** @type {string} */ file) =>
    gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length;
  const total = (/** @type {Iterable<string>} */ files) =>
    [...files].reduce((sum, file) => sum + sizeOf(file), 0);
  const closure = (/** @type {string} */ key, found = new Set()) => {
    if (found.has(key)) return found;
    found.add(key);
    for (const next of manifest[key]?.imports ?? []) closure(next, found);
    return found;
  };
  const filesOf = (/** @type {Set<string>} */ keys) =>
    new Set([...keys].flatMap((key) => manifest[key]?.file ?? []));
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
  const firstOf = new Map(entries.map((key) => [key, filesOf(closure(key))]));
  if (!firstOf.has(MEMBERS) || !firstOf.has(OPERATORS)) throw new Error('the console has no entry');
  const entryOf = (/** @type {string} */ key) => (key.startsWith('src/operator/') ? OPERATORS : MEMBERS);
  const beyond = (/** @type {string} */ key) =>
    total([...filesOf(closure(key))].filter((file) => !firstOf.get(entryOf(key))?.has(file)));
  const dynamic = Object.keys(manifest).filter((key) => !firstOf.has(key) && manifest[key]?.src === key);
  const isEditor = (/** @type {string} */ key) => key.startsWith('src/editor/');
  return {
    firstScripts: Object.fromEntries([...firstOf].map(([key, files]) => [key, total(files)])),
    styles: total(
      filesBelow(DIST).flatMap((file) => (file.endsWith('.css') ? file.slice(DIST.length + 1) : [])),
    ),
    editor: Math.max(0, ...dynamic.filter(isEditor).map(beyond)),
    pages: Object.fromEntries(
      dynamic.filter((key) => /\.tsx?$/.test(key) && !isEditor(key)).map((key) => [key, beyond(key)]),
    ),
  };
}

/** @returns {string[]} one line per budget that is exceeded */
function aboveBudget() {
  const { firstScripts, styles, editor, pages } = measure();
  const above = (/** @type {string} */ what, /** @type {number} */ size, /** @type {number} */ most) =>
    size > most ? [`${what} has ${size} bytes after gzip, at most ${most} are allowed`] : [];
  return [
    ...Object.entries(firstScripts).flatMap(([page, size]) =>
      above(`the first load of ${page}`, size, BUDGETS.firstScript),
    ),
    ...above('the style sheet', styles, BUDGETS.styles),
    ...above('the editor', editor, BUDGETS.editor),
    ...Object.entries(pages).flatMap(([page, size]) => above(page, size, BUDGETS.page)),
  ];
}

async function buildConsole() {
  const from = fingerprint();
  const { build } = await import('vite');
  await build({ root: ROOT, configFile: join(ROOT, 'vite.config.mjs'), logLevel: 'error' });
  const problems = aboveBudget();
  if (problems.length > 0) throw new Error(`the console is too large: ${problems.join('; ')}`);
  precompress();
  writeFileSync(STAMP, from);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (isStale()) await buildConsole();
  if (process.argv.includes('--sizes')) process.stdout.write(`${JSON.stringify(measure(), null, 2)}\n`);
}
