#!/usr/bin/env node
// @ts-check
// npm run site: builds the documentation site into site/dist when something that it is made from has changed. Its packages are
// its own, so that `npm start` installs none of them (decision 142). Needs the compiled gateway: npx tsc -b.
//   node site/build.mjs            installs its packages when they are stale, then builds
//   node site/build.mjs --built    with the packages that are there, as in the image
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, finish } from './finish.mjs';
import { faultsOf } from './links.mjs';
import { PROJECT_FILES } from './pages.mjs';
import { ROOT, stage } from './stage.mjs';

const HERE = import.meta.dirname;
const STAMP = join(DIST, '.built-from');
const INSTALLED = join(HERE, 'node_modules', '.postmesh-installed');
const INPUTS = [
  ...PROJECT_FILES,
  ...['docs', 'sdks/node/README.md', 'sdks/python/README.md', 'sdks/go/README.md'],
  ...['build', 'finish', 'links', 'pages', 'stage'].map((name) => `site/${name}.mjs`),
  ...['site/.vitepress/config.mjs', 'site/.vitepress/theme', 'site/package-lock.json'],
  'services/gateway/dist/documentation',
];
const STEP_MS = 300_000;

/** @param {string} path @returns {string[]} */
function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** @returns {string} a hash of everything that decides the result */
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of INPUTS.flatMap((input) => filesBelow(join(ROOT, input))))
    hash.update(file.slice(ROOT.length)).update(readFileSync(file));
  return hash.digest('hex');
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const done = spawnSync(command, args, { cwd: HERE, stdio: ['ignore', 2, 2], timeout: STEP_MS });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** No package of the site needs its script of installation. */
function installIfStale() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(HERE, 'package-lock.json')))
    .digest('hex');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === wanted) return;
  run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(INSTALLED, wanted);
}

const from = fingerprint();
if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === from) {
  console.error('the site is up to date');
} else {
  if (!process.argv.includes('--built')) installIfStale();
  rmSync(DIST, { recursive: true, force: true });
  const pages = await stage();
  run(process.execPath, [join(HERE, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), 'build', '.']);
  finish(pages);
  const faults = faultsOf(DIST);
  if (faults.length > 0) throw new Error(`the site has faults:\n${faults.join('\n')}`);
  writeFileSync(STAMP, from);
  console.error(`${pages.length} pages in site/dist`);
}
