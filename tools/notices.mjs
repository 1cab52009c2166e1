// @ts-check
// NOTICES.md: the packages of others that an installation has, with their licences, from the lock file and the packages
// themselves. A licence that the list below does not have is an error: it needs a decision first.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { textFiles } from './text-files.mjs';

/** @typedef {{ version: string, license?: string, dev?: boolean, optional?: boolean, link?: boolean, dependencies?: Record<string, string> }} Locked */

const ALLOWED = new Set([
  ...[
    'MIT',
    'MIT-0',
    'ISC',
    '0BSD',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'Unlicense',
  ],
  ...['Python-2.0', 'PostgreSQL', 'Zlib', 'WTFPL', 'CC-BY-4.0'],
]);
/** Packages whose licence offers a choice, or whose manifest names none that is known: which one holds. @type {Record<string, string>} */
const CHOSEN = { slick: 'MIT', decko: 'MIT', stickyfill: 'MIT', 'url-template': 'BSD-3-Clause' };

/** Packages of the site that are in its scripts; the others only build it. */
const IN_SITE =
  /^node_modules\/(?:vue|@vue\/(?:runtime-|reactivity|shared).*|vitepress|@vueuse\/.*|minisearch|mark\.js|focus-trap|tabbable)$/;

const PACKAGE = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)$/;

/** @param {string} root @param {string} path of a package @returns {string} the first line with a copyright */
function copyrightOf(root, path) {
  const folder = join(root, path);
  if (!existsSync(folder)) return '';
  const file = readdirSync(folder).find((name) => /^(?:licen[cs]e|copying)/i.test(name));
  if (file === undefined) return '';
  const line = readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .find((each) => /^\W*(?:copyright|\(c\)).*\d{4}/i.test(each));
  return (line ?? '')
    .replaceAll(/[|<>*#]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 120);
}

/** @param {string} root @returns {string[]} packages that sources of the pages name; those of the root are all that they can have */
function importedByConsole(root) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const sources = textFiles(root, ['services/console/src']).filter(
    (path) => /\.(?:tsx?|css)$/.test(path) && !path.includes('.spec.'),
  );
  const texts = sources.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  return Object.keys({ ...dependencies, ...devDependencies }).filter((name) =>
    ['from ', 'import ', 'import('].some((before) =>
      ["'", '/'].some((after) => texts.includes(`${before}'${name}${after}`)),
    ),
  );
}

/** @param {Record<string, Locked>} packages @param {string[]} names @returns {Set<string>} paths of these and of all that they need */
function closure(packages, names) {
  const found = new Set();
  const visit = (/** @type {string} */ name) => {
    const path = `node_modules/${name}`;
    if (found.has(path) || packages[path] === undefined || packages[path].link) return;
    found.add(path);
    Object.keys(packages[path].dependencies ?? {}).forEach(visit);
  };
  names.forEach(visit);
  return found;
}

/**
 * @param {string} root
 * @returns {string} NOTICES.md
 * @throws Error that names each package with another licence
 */
export function notices(root) {
  /** @type {{ packages: Record<string, Locked> }} */
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const bundled = closure(packages, importedByConsole(root));
  const all = Object.entries(packages).filter(([path, { link }]) => PACKAGE.test(path) && !link);
  const server = all.filter(([, { dev }]) => !dev);
  const pages = all.filter(([path, { dev }]) => dev && bundled.has(path));
  /** @type {{ packages: Record<string, Locked> }} */
  const ofSite = JSON.parse(readFileSync(join(root, 'site/package-lock.json'), 'utf8'));
  // its packages are not installed by everyone
  const site = Object.entries(ofSite.packages)
    .filter(([path]) => IN_SITE.test(path))
    .map(([path, one]) => /** @type {[string, Locked]} */ ([path, { ...one, optional: true }]));
  const licenceOf = (/** @type {string} */ path, /** @type {Locked} */ { license = 'none' }) =>
    CHOSEN[PACKAGE.exec(path)?.[1] ?? ''] ?? license;
  const isAllowed = (/** @type {string} */ text) =>
    text
      .replaceAll(/[()]/g, '')
      .split(' OR ')
      .some((one) => one.split(' AND ').every((part) => ALLOWED.has(part)));
  const others = [...server, ...pages, ...site].filter(([path, one]) => !isAllowed(licenceOf(path, one)));
  if (others.length > 0)
    throw new Error(
      `licences to decide about: ${others.map(([path, one]) => `${path} (${licenceOf(path, one)})`).join(', ')}`,
    );
  const rows = (/** @type {[string, Locked][]} */ of) =>
    [
      ...new Map(
        of.map(([path, one]) => {
          const name = PACKAGE.exec(path)?.[1] ?? path;
          // another platform has other optional packages
          const holder = one.optional ? '' : copyrightOf(root, path);
          return [
            `${name}@${one.version}`,
            `| ${name} | ${one.version} | ${licenceOf(path, one)} | ${holder} |`,
          ];
        }),
      ),
    ]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, row]) => row);
  const table = (/** @type {[string, Locked][]} */ of) =>
    ['| package | version | licence | notice |', '| - | - | - | - |', ...rows(of)].join('\n');
  return [
    '# Notices',
    'Generated by `npm run generate` from package-lock.json and the installed packages. Postmesh is under the Apache License 2.0 (LICENSE). It contains packages of others; the text of each licence is in the folder of its package, `node_modules` of the image.',
    '## The server',
    'Some are of one platform, and optional: Node.js itself and PostgreSQL are among them.',
    table(server),
    '## The pages of the console and the reference',
    table(pages),
    '## The pages of the documentation',
    table(site),
  ]
    .join('\n\n')
    .concat('\n');
}
