#!/usr/bin/env node
// @ts-check
// Twelve jobs by the pages of the site alone: each runs the commands of its page as a reader does, on a clone that `npm start` has
// started, and has its time in a table. The data begin with the release before, so that the upgrade is one, too.
//   node tools/walk.mjs [--write]    --write: the table replaces the one of docs/start.md
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { outsidePath, prepare, root } from './prepare.mjs';

await prepare({ quiet: true });
// by the Node of the lock file, which an older one hands over to
const { buildOf, releaseBefore } = await import('./release/build-before.mjs');
const { clone, cleanUp, installed, lastWords, start, stop } = await import('./smoke/fresh-clone.mjs');
const { fencesBelow, fencesOf, missingOutput, scriptOf } = await import('./snippets.mjs');

const JOB_MS = 120_000;
const START = 'start.md';
const TABLE = /(?<=\n)\| job +\|[^]*?\n(?=\n)/;

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

/** @typedef {{ job: string, page: string, below?: string }} Job `below`: the heading of its part of the page */
/** @type {Job[]} */
const JOBS = [
  { job: 'first mail', page: START },
  { job: 'domain', page: 'guides/domains.md' },
  { job: 'template', page: 'guides/templates.md' },
  { job: 'campaign', page: 'guides/campaigns.md' },
  { job: 'webhook, broken and recovered', page: 'guides/webhooks.md' },
  { job: 'inbound mail', page: 'guides/inbound.md' },
  { job: 'change of a key', page: 'guides/security.md', below: '## Keys of clients' },
  { job: 'teammate', page: 'guides/security.md', below: '## Members and operators' },
  { job: 'bounce', page: 'guides/no-mail.md' },
  { job: 'import', page: 'moving-here.md' },
];
const UPGRADE = { job: 'upgrade', page: 'guides/upgrades.md' };
const BACKUP = { job: 'backup and restore', page: 'guides/backup.md' };

/** @type {(Job & { seconds: number })[]} */
const times = [];
const before = releaseBefore(root);
if (!before.isRelease) console.log('there is no release yet: a commit that is a day older is in its place');
console.log(`building ${before.name}, where it is not built yet`);
const old = buildOf(root, before.commit);
const checkout = clone();
try {
  installed(checkout);
  let running = await upgrade();
  for (const job of JOBS) await timed(job, () => run(job));
  await timed(BACKUP, async () => {
    await run(BACKUP);
    await stop(running.child, checkout);
    running = await restore();
  });
  await stop(running.child, checkout, running.folder);
  const table = tableOf();
  console.log(`\n${table}`);
  if (values.write) write(table);
} finally {
  cleanUp();
}

/** The release before has made the data. The build of the new one is no part of the time. */
async function upgrade() {
  const data = join(checkout, '.data');
  const first = await start(old, { env: { POSTMESH_DATA_DIR: data } });
  console.log(`walk: ${before.name} is ready after ${first.seconds} s`);
  // what is stale is built here, and not below
  const build = spawnSync('npm', ['run', 'build'], { cwd: checkout, env: environment(), stdio: 'inherit' });
  if (build.status !== 0) throw new Error('the build failed');
  return await timed(UPGRADE, async () => {
    await stop(first.child, old, data);
    const { child, credentials } = await start(checkout);
    if (credentials.api_key !== first.credentials.api_key) throw new Error('the upgrade made another key');
    await run(UPGRADE);
    return { child, folder: '.data' };
  });
}

/** The commands of the page; the last one, a start, is awaited by this program. */
async function restore() {
  const [{ text: commands }] = fencesBelow(read(BACKUP.page), '## Restore');
  const [command = '', begin = ''] = commands.trim().split('\n');
  const words = begin.replace(/ npm start$/, '').split(' ');
  if (words.join(' ') === begin) throw new Error(`${BACKUP.page}: the restore does not end with a start`);
  const env = Object.fromEntries(words.map((word) => word.split('=')));
  await shell(command);
  const { child, credentials } = await start(checkout, { env });
  const { base_url: url, account_id: account, api_key: key } = credentials;
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v2/accounts/${account}/domains/shop.test`, { headers });
  if (response.status !== 200) throw new Error(`the restored installation has no domain: ${response.status}`);
  return { child, folder: env['POSTMESH_DATA_DIR'] };
}

/** @template T @param {Job} job @param {() => Promise<T>} work @returns {Promise<T>} */
async function timed(job, work) {
  const began = performance.now();
  const result = await work();
  const seconds = Math.max(1, Math.round((performance.now() - began) / 1_000));
  times.push({ ...job, seconds });
  console.log(`walk: ${job.job}: ${seconds} s`);
  return result;
}

/** The commands of a page, with what they have to print. @param {Job} job @throws Error when one fails */
async function run({ page, below }) {
  const content = read(page);
  const fences = below === undefined ? fencesOf(content) : fencesBelow(content, below);
  if (!fences.some(({ words }) => words.startsWith('run'))) throw new Error(`${page} has no command`);
  const prelude = fencesOf(read(START)).find(({ words }) => words === 'prelude')?.text ?? '';
  const printed = await shell(scriptOf(fences, prelude));
  const missing = missingOutput(fences, printed);
  if (missing.length > 0) throw new Error(`${page}: ${missing.join('\n')}`);
}

/** @param {string} script for bash @returns {Promise<string>} its output */
async function shell(script) {
  const child = spawn('bash', ['-c', script], {
    cwd: checkout,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: JOB_MS,
  });
  const ended = once(child, 'exit');
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  if (code !== 0) throw new Error(`${errors}\n${printed.slice(-2_000)}\n${lastWords()}`);
  return printed;
}

/** A reader has no Node of ours. */
function environment() {
  return { ...process.env, PATH: outsidePath() };
}

/** @param {string} page */
function read(page) {
  return readFileSync(join(checkout, 'docs', page), 'utf8');
}

function tableOf() {
  const order = [...JOBS, BACKUP, UPGRADE].map(({ job }) => times.find((each) => each.job === job));
  const titleOf = (/** @type {string} */ page) => read(page).split('\n', 1)[0].replace('# ', '');
  const rows = order.flatMap((each) =>
    each === undefined ? [] : `| ${each.job} | [${titleOf(each.page)}](${each.page}) | ${each.seconds} s |`,
  );
  return ['| job | page | commands |', '| --- | --- | --: |', ...rows].join('\n');
}

/** @param {string} table */
function write(table) {
  const path = join(root, 'docs', START);
  const page = readFileSync(path, 'utf8');
  if (!TABLE.test(page)) throw new Error(`${START} has no table of jobs`);
  writeFileSync(path, page.replace(TABLE, `${table}\n`));
  spawnSync(process.execPath, [join(root, 'node_modules/prettier/bin/prettier.cjs'), '--write', path]);
}
