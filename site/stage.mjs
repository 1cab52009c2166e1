// @ts-check
// Stages the pages: docs/ and some files of the root, with links between pages of the site, and the pages of the API.
// A link to a file that the site does not have, such as a source, becomes its text.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { PROJECT_FILES, SECTIONS, routeOf } from './pages.mjs';

export const ROOT = join(import.meta.dirname, '..');
export const STAGED = join(import.meta.dirname, '.cache', 'pages');
/** Documents for programs, next to the pages. */
const DOCUMENTS = ['openapi.json', 'asyncapi.json'];
/** Decisions are read by link, and would hide the answers of the other pages. */
const NOT_SEARCHED = /^decisions\/\d/;

/** Files outside of docs/: where the site has them. @type {ReadonlyMap<string, string>} */
const FROM_ELSEWHERE = new Map([
  ...PROJECT_FILES.map((name) => /** @type {const} */ ([name, `project/${name}`])),
  ...['node', 'python', 'go'].map(
    (name) => /** @type {const} */ ([`sdks/${name}/README.md`, `sdks/${name}.md`]),
  ),
  ['README.md', 'index.md'],
]);

/** @param {string} path of a staged page @returns {boolean} whether the search has it */
export const SEARCHED = (path) => !NOT_SEARCHED.test(path);

/** @returns {string[]} the files of docs/, `/` between their parts */
const documents = () =>
  readdirSync(join(ROOT, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(join(ROOT, 'docs'), join(entry.parentPath, entry.name)).split(sep).join('/'));

/** A page named README.md is the one of its folder. @param {string} path */
const asIndex = (path) => path.replace(/(^|\/)README\.md$/, '$1index.md');

/** @param {string} path below the root @returns {string | undefined} where the site has it */
function stagedPath(path) {
  const known = FROM_ELSEWHERE.get(path);
  if (known !== undefined) return known;
  if (!path.startsWith('docs/')) return undefined;
  const below = path.slice('docs/'.length);
  if (path.endsWith('.md')) return asIndex(below);
  return existsSync(join(ROOT, path, 'README.md')) ? `${below.replace(/\/$/, '')}/index.md` : undefined;
}

/**
 * @param {string} text Markdown
 * @param {string} path of the file below the root
 * @param {string} staged where the site has it
 */
function linked(text, path, staged) {
  const links = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
  return outsideOfCode(text, (prose) =>
    prose.replace(links, (whole, mark, label, target) => {
      if (/^(?:[a-z]+:|#|\/)/.test(target)) return whole;
      const [file, anchor] = target.split('#');
      const at = posix.join(posix.dirname(path), file);
      if (at.startsWith('docs/images/')) return `${mark}[${label}](/images/${posix.basename(at)})`;
      if (DOCUMENTS.some((name) => at === `docs/${name}`)) return `[${label}](/${posix.basename(at)})`;
      const to = stagedPath(at);
      if (to === undefined) return label;
      const way = posix.relative(posix.dirname(staged), to);
      return `[${label}](${way.startsWith('.') ? way : `./${way}`}${anchor === undefined ? '' : `#${anchor}`})`;
    }),
  );
}

/**
 * @param {string} text @param {(prose: string) => string} change
 * @returns {string} fences with the name of their language alone, code spans as they are, the rest changed
 */
const outsideOfCode = (text, change) =>
  text
    .split(/(^ *```[^\n]*\n[\s\S]*?^ *```$|`[^`\n]+`(?!\]))/m)
    .map((part, nth) => (nth % 2 === 0 ? change(part) : part.replace(/^( *```\w*)[^\n`]*\n/, '$1\n')))
    .join('');

/** @param {string} staged @param {string} text */
function write(staged, text) {
  mkdirSync(dirname(join(STAGED, staged)), { recursive: true });
  writeFileSync(join(STAGED, staged), text);
}

/** @returns {Promise<string[]>} the pages that were staged */
export async function stage() {
  rmSync(STAGED, { recursive: true, force: true });
  const pages = documents().filter((path) => path.endsWith('.md'));
  const files = [
    ...pages.map((path) => `docs/${path}`),
    ...[...FROM_ELSEWHERE.keys()].filter((path) => path !== 'README.md'),
  ];
  const staged = files.map((path) => ({ path, to: /** @type {string} */ (stagedPath(path)) }));
  for (const { path, to } of staged) write(to, linked(readFileSync(join(ROOT, path), 'utf8'), path, to));
  const families = await apiPages();
  for (const { to, text } of families) write(to, text);
  const reference = join(STAGED, 'reference', 'index.md');
  writeFileSync(
    reference,
    `${readFileSync(reference, 'utf8')}\n## The API by family\n\n${listOf(families)}\n`,
  );
  write('index.md', indexPage());
  cpSync(join(ROOT, 'docs', 'images'), join(STAGED, 'images'), { recursive: true });
  mkdirSync(join(STAGED, 'public'), { recursive: true });
  for (const name of DOCUMENTS)
    writeFileSync(join(STAGED, 'public', name), readFileSync(join(ROOT, 'docs', name)));
  const missing = SECTIONS.flatMap(({ pages: named }) => named).filter(
    ({ source }) => !existsSync(join(STAGED, asIndex(source))),
  );
  if (missing.length > 0) throw new Error(`no page: ${missing.map(({ source }) => source).join(', ')}`);
  return ['index.md', ...staged.map(({ to }) => to), ...families.map(({ to }) => to)];
}

/** The Markdown reference that the gateway serves (decision 125), as pages: one renderer of the API document. */
async function apiPages() {
  const { readApiDocument } = await import('../services/gateway/dist/openapi/open-api.js');
  const { markdownReference } = await import('../services/gateway/dist/documentation/markdown-reference.js');
  return [...markdownReference(readApiDocument(undefined))]
    .filter(([path]) => path.endsWith('.md'))
    .map(([path, text]) => ({ to: path.replace('/docs/', 'reference/api/'), text: escaped(text) }))
    .map(({ to, text }) => ({ to, text, title: /^# (.*)$/m.exec(text)?.[1] ?? to }));
}

/** @param {string} text of the API document, in which some words are in angle brackets */
const escaped = (text) => outsideOfCode(text, (prose) => prose.replaceAll('<', '&lt;'));

/** @param {{ to: string, title: string }[]} families */
const listOf = (families) =>
  families.map(({ to, title }) => `- [${title}](./${to.replace('reference/', '')})`).join('\n');

/** The first page: all sections. */
const indexPage = () =>
  [
    '# Postmesh',
    'An email delivery service of your own: an HTTP API and SMTP take messages, sign them, deliver them with retries for a day, and report the outcome of each by webhook. Begin with [five minutes](./start.md).',
    ...SECTIONS.map(({ title, pages }) =>
      [
        `## ${title}`,
        pages.map((page) => `- [${page.title}](.${routeOf(page.source)}): ${page.about}`).join('\n'),
      ].join('\n\n'),
    ),
  ].join('\n\n') + '\n';
