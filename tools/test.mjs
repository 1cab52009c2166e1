#!/usr/bin/env node
// @ts-check
// npm test: installs and builds what is stale and runs the first tier of the tests, which needs nothing but npm.
//   npm test -- queue/lease          only files whose path has this in it, of every tier
//   npm run test:full                the tier that takes long: crashes, floods, programs of other makers
//   node tools/test.mjs --tier ci    what `bash .ci/run` adds to the first tier (tools/test-tiers.mjs has the table)
// A run ends with the parts that were missing, the failures, and `N passed, N failed, N skipped`.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root } from './prepare.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string', default: 'first' },
    // the change is what came since this commit
    since: { type: 'string' },
    // another order of the files each time
    shuffle: { type: 'boolean', default: false },
  },
});
await prepare();
const { COMMANDS, LATER, touchedBy } = await import('./test-tiers.mjs');
const { PARTS, startParts } = await import('./test-parts.mjs');
const { whyNoCluster } = await import('./cluster/machine.mjs');

const RESULTS = join(root, '.vitest', 'results.json');
const UNCAUGHT = join(root, '.vitest', 'uncaught.json');
const TIERS = /** @type {const} */ (['first', 'ci', 'full']);

const totals = { passed: 0, failed: 0, skipped: 0 };
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort());

const tier = TIERS.find((name) => name === values.tier);
if (tier === undefined) throw new Error(`--tier is ${TIERS.join(', ')}, not ${values.tier}`);
const isPick = positionals.length > 0;
const touched = touchedBy(tier === 'ci' && values.since !== undefined ? changedSince(values.since) : []);
const rows = [...LATER.filter((row) => row.tier === tier), ...touched.rows];
const commands = isPick ? [] : [...COMMANDS.filter((command) => command.tier === tier), ...touched.commands];

// a part that this tier is there for may not be missing, one that a picked file could use may
const wanted = isPick ? [] : [...new Set(rows.flatMap(({ parts = [] }) => parts))];
const parts = await startParts(wanted);
let passed = false;
try {
  const tools = tier === 'ci' || isPick || (await runToolTests());
  passed = (await runVitest()) && tools;
  const alongside = Promise.all(commands.filter((command) => command.alongside).map(runAlongside));
  for (const command of commands.filter((command) => !command.alongside))
    passed = (await runCommand(command)) && passed;
  passed = (await alongside).every(Boolean) && passed;
} finally {
  await parts.stop();
}
process.exit(report() && passed ? 0 : 1);

/** @param {string} base @returns {string[]} paths from the root */
function changedSince(base) {
  const { status, stdout } = spawnSync('git', ['diff', '--name-only', base, 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git knows no commit ${base}`);
  return stdout.split('\n').filter((line) => line !== '');
}

/** One run of all projects, with as many workers as processors. @returns {Promise<boolean>} */
async function runVitest() {
  for (const file of [RESULTS, UNCAUGHT]) rmSync(file, { force: true });
  const shuffle = values.shuffle ? ['--sequence.shuffle.files', `--sequence.seed=${Date.now()}`] : [];
  const ended = await run([join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...shuffle, ...positionals], {
    POSTMESH_TEST_TIER: isPick ? 'all' : tier,
    POSTMESH_TEST_ALSO: JSON.stringify(touched.rows.flatMap(({ files }) => files)),
    POSTMESH_TEST_REQUIRES: [
      ...wanted.map((part) => PARTS[part].setting),
      ...(tier === 'full' ? ['DISK', 'PYTHON'] : []),
    ].join(','),
  });
  if (!existsSync(RESULTS)) return false;
  const results = JSON.parse(readFileSync(RESULTS, 'utf8'));
  totals.passed += results.numPassedTests;
  totals.skipped += results.numPendingTests + results.numTodoTests;
  return ended;
}

/** @returns {Promise<boolean>} */
async function runToolTests() {
  const folder = mkdtempSync(join(tmpdir(), 'postmesh-tool-tests-'));
  const tap = join(folder, 'results.tap');
  const ended = await run([
    '--test',
    `--test-concurrency=${availableParallelism()}`,
    ...['--test-reporter=dot', '--test-reporter-destination=stdout'],
    ...['--test-reporter=tap', `--test-reporter-destination=${tap}`],
    ...readdirSync(join(root, 'tools/tests'))
      .filter((name) => name.endsWith('.test.mjs'))
      .map((name) => join('tools/tests', name)),
  ]);
  const text = existsSync(tap) ? readFileSync(tap, 'utf8') : '';
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  totals.passed += count('pass');
  totals.skipped += count('skipped');
  totals.failed += count('fail');
  for (const [, name] of text.matchAll(/^\s*not ok \d+ - (.*)$/gm)) console.log(`FAILED tools: ${name}`);
  rmSync(folder, { recursive: true });
  return ended;
}

/** It counts as one test. @param {import('./test-tiers.mjs').Command} command @returns {Promise<boolean>} */
async function runCommand({ why, args, machine }) {
  console.log(`\n=== ${why}: node ${args.join(' ')}`);
  const missing = machine === undefined ? undefined : whyNoCluster();
  if (missing === undefined) return counted(why, await run(args));
  console.log(`skipped: ${missing}`);
  totals.skipped += 1;
  return true;
}

/** Next to the others; its output comes in one piece. @param {import('./test-tiers.mjs').Command} command @returns {Promise<boolean>} */
async function runAlongside({ why, args }) {
  const folder = mkdtempSync(join(tmpdir(), 'postmesh-command-'));
  const file = join(folder, 'output.log');
  const output = openSync(file, 'w');
  const began = performance.now();
  const ended = await run(args, {}, output);
  closeSync(output);
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(`\n=== ${why} (${seconds} s): node ${args.join(' ')}\n${readFileSync(file, 'utf8')}`);
  rmSync(folder, { recursive: true });
  return counted(why, ended);
}

/** @param {string} why @param {boolean} ended @returns {boolean} */
function counted(why, ended) {
  totals[ended ? 'passed' : 'failed'] += 1;
  if (!ended) console.log(`FAILED ${why}`);
  return ended;
}

/**
 * @param {string[]} args of Node
 * @param {NodeJS.ProcessEnv} [more]
 * @param {'inherit' | number} [output]
 * @returns {Promise<boolean>} whether it ended well
 */
function run(args, more = {}, output = 'inherit') {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...parts.env, ...more },
    stdio: ['ignore', output, output],
    signal: stopping.signal,
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** @returns {boolean} whether something ran and nothing failed */
function report() {
  const files = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')).testResults : [];
  for (const { name, status, message, assertionResults } of files) {
    if (status !== 'failed') continue;
    const failed = assertionResults.filter((one) => one.status === 'failed').map(({ fullName }) => fullName);
    const names = failed.length > 0 ? failed : [`(outside of its tests) ${message?.split('\n')[0] ?? ''}`];
    totals.failed += names.length;
    for (const text of names) console.log(`FAILED ${relative(root, name)}: ${text}`);
  }
  // undefined: the run broke off
  const uncaught = existsSync(UNCAUGHT)
    ? JSON.parse(readFileSync(UNCAUGHT, 'utf8'))
    : [{ message: 'the run broke off' }];
  totals.failed += uncaught.length;
  for (const { file, message } of uncaught)
    console.log(`FAILED outside of any test, ${file ?? 'no file'}: ${message.split('\n', 4).join(' ')}`);
  for (const line of leftOut()) console.log(line);
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  return totals.failed === 0 && totals.passed > 0;
}

/** The tests outside of this run, by reason. @returns {string[]} */
function leftOut() {
  if (isPick) return [];
  // before the tier `ci`, .ci/run has run the first one
  const isOther = (row) => row.tier !== tier;
  const others = [
    ...(tier === 'full' ? [{ tier: 'first', why: 'rules and services, on embedded parts' }] : []),
    ...LATER.filter((row) => isOther(row) && !rows.includes(row)),
    ...COMMANDS.filter((command) => isOther(command) && !commands.includes(command)),
  ];
  const command = { first: 'npm test', ci: 'bash .ci/run', full: 'npm run test:full' };
  const lines = others.map((row) => `  ${command[row.tier].padEnd(command.full.length)}  ${row.why}`);
  return [`\nNot part of this tier (${tier}):`, ...new Set(lines)];
}
