// @ts-check
// Finishes the built pages: inline scripts become files, styles become classes, each page has its Markdown next to it.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SECTIONS, routeOf } from './pages.mjs';
import { STAGED } from './stage.mjs';

export const DIST = join(import.meta.dirname, 'dist');
const BASE = '/console/docs/';
/** Styles that a script of the theme sets again, and hidden images of switches: the policy does not allow them in HTML. */
const INLINE_STYLE = / style="[^"]*"/g;

/** @param {string} end of names @returns {string[]} files of dist */
export const filesOf = (end) =>
  readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(end))
    .map((entry) => join(entry.parentPath, entry.name));

/** @param {string} css of all samples of code */
export const writeCodeStyles = (css) => writeFileSync(join(DIST, 'code.css'), css);

/** @param {string[]} pages as staged */
export function finish(pages) {
  for (const file of filesOf('.html')) {
    const html = readFileSync(file, 'utf8');
    const outside = html
      .replaceAll(INLINE_STYLE, '')
      .replaceAll(/<script(?![^>]* src=)([^>]*)>([^<]*)<\/script>/g, (_, attributes, code) => {
        const name = `assets/inline-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
        writeFileSync(join(DIST, name), code);
        return `<script${attributes} src="${BASE}${name}"></script>`;
      });
    writeFileSync(file, outside);
  }
  for (const page of pages) {
    mkdirSync(dirname(join(DIST, page)), { recursive: true });
    cpSync(join(STAGED, page), join(DIST, page));
  }
  // read by the gateway, which lists them in /llms.txt
  const listed = SECTIONS.map(({ title, pages: named }) => ({
    title,
    pages: named.map(({ source, title: name, about }) => ({
      path: `${BASE}${routeOf(source)
        .slice(1)
        .replace(/(^|\/)$/, '$1index')}.md`,
      title: name,
      about,
    })),
  }));
  writeFileSync(join(DIST, 'sections.json'), `${JSON.stringify(listed, null, 2)}\n`);
  precompress();
}

/** Next to each file that compresses well: `<file>.gz`. Brotli would be used by https alone, and is a quarter more of the image. */
function precompress() {
  for (const file of ['.html', '.js', '.css', '.md', '.json'].flatMap(filesOf))
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
}
