// @ts-check
// Checks the built pages: each link of this site leads to a page and to an anchor that exist, and no code or style is inline.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const BASE = '/console/docs/';
/** Answered by the gateway. */
const OUTSIDE = /^\/(?:docs(?:\/|$)|openapi\.json$|llms\.txt$|console\/(?!docs))/;
const INLINE = /<script(?![^>]* src=)[^>]*>|<style|\son[a-z]+="|\sstyle="/;

/** @param {string} dist @param {string} path below the base @returns {string | undefined} the file that is served */
function fileOf(dist, path) {
  const at = join(dist, decodeURIComponent(path));
  const found = [at, `${at}.html`, join(at, 'index.html')].find(
    (each) => existsSync(each) && statSync(each).isFile(),
  );
  return found;
}

/** @param {string} html */
const idsOf = (html) => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));

/** @param {string} dist of the build @returns {string[]} one line per fault */
export function faultsOf(dist) {
  const pages = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.html'))
    .map((entry) => join(entry.parentPath, entry.name));
  const texts = new Map(pages.map((file) => [file, readFileSync(file, 'utf8')]));
  const ids = new Map([...texts].map(([file, html]) => [file, idsOf(html)]));
  return pages.flatMap((file) => {
    const html = texts.get(file) ?? '';
    const name = relative(dist, file);
    const inline = INLINE.exec(html.replaceAll(/<code[\s\S]*?<\/code>/g, ''));
    const url = new URL(
      name.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, ''),
      `http://site${BASE}`,
    );
    const links = [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    );
    const broken = [...new Set(links)].filter((link) => {
      if (/^(?:data|mailto):/.test(link)) return false;
      const { host, pathname, hash } = new URL(link, url);
      if (host !== 'site' || OUTSIDE.test(pathname)) return false;
      if (!pathname.startsWith(BASE)) return true;
      const target = fileOf(dist, pathname.slice(BASE.length));
      if (target === undefined) return true;
      return (
        hash !== '' && target.endsWith('.html') && !ids.get(target)?.has(decodeURIComponent(hash.slice(1)))
      );
    });
    return [
      ...broken.map((link) => `${name}: ${link} leads nowhere`),
      ...(inline ? [`${name}: ${inline[0]} is inline`] : []),
    ];
  });
}
