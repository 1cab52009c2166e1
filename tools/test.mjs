#!/usr/bin/env node
// @ts-check
// npm test: installs and builds what is stale, finds or starts the real parts that this machine can run, runs
// every test, and says loudly what was left out and why. With CI=true nothing may be left out, and the few files
// that failed beside all others are run again alone: what passes there is named at the end.
// `npm test -- -p messages`: what stands behind `--` goes to nx, and only that is run.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { secondsInTests } from './ledger/test-seconds.mjs';
import { prepare, root } from './prepare.mjs';

/** Half its time it waits for leases, retries and restarts: it runs beside all others. */
const WHOLE_SYSTEM = '@postmesh/all-in-one';

const required = process.env.CI === 'true';
/** @type {string[]} */
const skipped = [];
/** @type {(() => Promise<void>)[]} */
const stops = [];
const totals = { passed: 0, failed: 0, skipped: 0 };
/** More than so many files that fail are no accident of a machine that is busy, or slow for a while. */
const FILES_RUN_AGAIN = 10;
/**
 * @typedef {{ name: string, status: string, message?: string, assertionResults: { fullName: string, status: string }[] }}
 *   FileResult
 */
/** @type {string[]} tests that passed only when their file was run again, alone */
const passedAlone = [];
/** @type {NodeJS.ProcessEnv} */
const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' };
if (required) env.POSTMESH_REQUIRE_REAL = '1';
// named, since nx takes the results of a shorter run for those of a longer one otherwise
env.POSTMESH_LEDGER_SECONDS = String(secondsInTests(process.env));
/** The tests of libraries and services wait for times more than they work, and are the longest way beside the whole system. */
const APART = { VITEST_MAX_WORKERS: '3' };

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => void stopAll().then(() => process.exit(130)));
}

await prepare();
forgetResults();
let failed = false;
try {
  await startRealParts();
  failed = !(await runTests(process.argv.slice(2)));
  addUpResults();
  if (failed && required && process.argv.length === 2) failed = !(await runFailedAgain());
} finally {
  await stopAll();
}
failed = report() || failed;
process.exit(failed ? 1 : 0);

/** @param {string[]} wanted arguments for nx; empty: everything @returns {Promise<boolean>} whether all passed */
async function runTests(wanted) {
  if (wanted.length > 0) return runNx(['run-many', '-t', 'test', '--parallel=1', ...wanted]);
  const results = await Promise.all([
    runNx(['run-many', '-t', 'test', '--parallel=1', `--exclude=${WHOLE_SYSTEM}`], APART),
    // nx reads the workspace and its cache's database at the start: one after the other
    runToolTests().then(async (passed) => (await runNx(['run', `${WHOLE_SYSTEM}:test`])) && passed),
  ]);
  return results.every(Boolean);
}

/** @param {string[]} args @param {NodeJS.ProcessEnv} [more] @returns {Promise<boolean>} */
function runNx(args, more) {
  return run(join(root, 'node_modules', '.bin', 'nx'), [...args, '--outputStyle=static'], { more });
}

async function startRealParts() {
  await startPart('KAFKA_BROKERS', 'Kafka needs Java 17 and Maven on the PATH', async () => {
    const { startKafka } = await import('./real/kafka.mjs');
    return startKafka({});
  });
  await startPart('REDIS_URL', 'Redis needs redis-server on the PATH', async () => {
    const { startRedis } = await import('./real/redis.mjs');
    return startRedis({});
  });
  await startPart('POSTMESH_S3_ENDPOINT', 'S3 needs Java 17 and Maven on the PATH', async () => {
    const { startS3 } = await import('./real/s3.mjs');
    return startS3({});
  });
  await startPart('KNOTD', 'DNS of another maker needs knotd (Debian: knot) on the PATH', async () => {
    const { findKnot } = await import('./real/knot.mjs');
    return findKnot();
  });
  await startPart('OPENDKIM', 'DKIM of another maker needs opendkim on the PATH', async () => {
    const { findOpenDkim } = await import('./real/opendkim.mjs');
    return findOpenDkim();
  });
  await startPart('POSTFIX', 'a mail host of another maker needs postfix on the PATH, and root', async () => {
    const { findPostfix } = await import('./real/postfix.mjs');
    return findPostfix();
  });
  await startPart(
    'SWAKS',
    'an SMTP client of another maker needs swaks (and libnet-ssleay-perl) on the PATH',
    async () => {
      const { findSwaks } = await import('./real/swaks.mjs');
      return findSwaks();
    },
  );
  await startPart('PROMETHEUS', 'scraping and alerts need prometheus on the PATH', async () => {
    const { findPrometheus } = await import('./real/prometheus.mjs');
    return findPrometheus();
  });
  await startPart('CHROMIUM', 'pages in a real browser need chromium on the PATH', async () => {
    const { findChromium } = await import('./real/chromium.mjs');
    return findChromium();
  });
}

/**
 * @param {string} setting that says where it is; given: nothing is started
 * @param {string} hint for those who miss it
 * @param {() => Promise<{ env: Record<string, string>, stop: () => Promise<void> }>} start
 */
async function startPart(setting, hint, start) {
  if (env[setting]) return;
  try {
    const part = await start();
    Object.assign(env, part.env);
    stops.push(part.stop);
  } catch (error) {
    if (required) throw error;
    skipped.push(`${setting}: ${hint} (${error instanceof Error ? error.message : String(error)})`);
  }
}

async function stopAll() {
  for (const stop of stops.splice(0)) await stop().catch((error) => console.error(error));
}

/** Files by name: what a folder means to `node --test` differs between versions of Node. @returns {Promise<boolean>} */
async function runToolTests() {
  const folder = mkdtempSync(join(tmpdir(), 'postmesh-tool-tests-'));
  const tap = join(folder, 'results.tap');
  const files = readdirSync(join(root, 'tools/tests')).filter((name) => name.endsWith('.test.mjs'));
  const passed = await run(process.execPath, [
    '--test',
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...['--test-reporter=tap', `--test-reporter-destination=${tap}`],
    ...files.map((name) => join('tools/tests', name)),
  ]);
  const text = existsSync(tap) ? readFileSync(tap, 'utf8') : '';
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  totals.passed += count('pass');
  totals.failed += count('fail');
  totals.skipped += count('skipped');
  rmSync(folder, { recursive: true });
  return passed;
}

/**
 * @param {string} command @param {string[]} args @param {{ cwd?: string, more?: NodeJS.ProcessEnv }} [where] `more`: of its
 *   environment
 * @returns {Promise<boolean>} whether it ended well
 */
function run(command, args, { cwd = root, more = {} } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...env, ...more },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const stop = async () => void child.kill('SIGTERM');
  stops.push(stop);
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => {
      if (stops.includes(stop)) stops.splice(stops.indexOf(stop), 1);
      resolve(code === 0);
    });
  });
}

/** @returns {string[]} their folders */
function projects() {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return references.map(({ path }) => join(root, path));
}

/** What projects' runners wrote down. @returns {string[]} */
function resultFiles() {
  return projects()
    .map((project) => join(project, '.vitest', 'results.json'))
    .filter((path) => existsSync(path));
}

/** What an earlier run wrote down must not be counted; nx puts back what it takes from its cache. */
function forgetResults() {
  for (const project of projects()) {
    for (const name of ['results.json', 'uncaught.json'])
      rmSync(join(project, '.vitest', name), { force: true });
  }
}

function addUpResults() {
  for (const file of resultFiles()) {
    const results = JSON.parse(readFileSync(file, 'utf8'));
    totals.passed += results.numPassedTests;
    totals.failed += failedFiles(file).reduce((sum, failure) => sum + failedTests(failure).length, 0);
    totals.skipped += results.numPendingTests + results.numTodoTests;
  }
}

/**
 * A test that fails beside all others and passes alone minds a busy machine: that is to be mended, and is said, but it
 * is no reason to hold everything else back.
 * @returns {Promise<boolean>} whether every failure was of this kind
 */
async function runFailedAgain() {
  const failures = resultFiles().flatMap((path) => failedFiles(path).map((file) => ({ path, file })));
  const inFiles = failures.reduce((sum, { file }) => sum + failedTests(file).length, 0);
  // what no file holds (a tool's test, a build, a run that broke off) is not looked at again
  const isKnown = inFiles === totals.failed && allRanToTheirEnd();
  if (failures.length === 0 || failures.length > FILES_RUN_AGAIN || !isKnown) return false;
  for (const { path, file } of failures) {
    console.log(`\n!!! once more, alone: ${file.name}`);
    const project = dirname(dirname(path));
    if (!(await run('npm', ['test', '--silent', '--', relative(project, file.name)], { cwd: project })))
      return false;
    const tests = failedTests(file);
    totals.failed -= tests.length;
    totals.passed += tests.length;
    passedAlone.push(...tests.map((name) => `${relative(root, file.name)}: ${name}`));
  }
  return true;
}

/** Of every project, as each has tests: its runner wrote both files, and a file is known for all that no test caught. */
function allRanToTheirEnd() {
  return projects().every((project) => {
    const errors = uncaughtErrors(project);
    return (
      existsSync(join(project, '.vitest', 'results.json')) && errors?.every(({ file }) => file !== undefined)
    );
  });
}

/** @param {string} project @returns {{ file?: string, message: string }[] | undefined} undefined: its run broke off */
function uncaughtErrors(project) {
  const path = join(project, '.vitest', 'uncaught.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/**
 * Those with a test that failed, or during which something was thrown that no test caught.
 * @param {string} path of a project's results @returns {FileResult[]}
 */
function failedFiles(path) {
  const uncaught = uncaughtErrors(dirname(dirname(path))) ?? [];
  return JSON.parse(readFileSync(path, 'utf8')).testResults.flatMap((file) => {
    const outside = uncaught.find((error) => error.file === file.name);
    if (file.status !== 'failed' && !outside) return [];
    return [outside ? { ...file, message: `uncaught: ${outside.message}` } : file];
  });
}

/** A file of which no test failed failed outside of them, and counts as one. @param {FileResult} file @returns {string[]} */
function failedTests({ assertionResults, message }) {
  const names = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  return names.length > 0 ? names : [`(outside of its tests) ${message?.split('\n')[0] ?? ''}`];
}

/** @returns {boolean} true when something failed or nothing ran */
function report() {
  for (const name of passedAlone) console.log(`!!! failed beside all others, passed alone: ${name}`);
  for (const path of resultFiles()) {
    for (const file of failedFiles(path)) {
      for (const name of failedTests(file)) console.log(`FAILED ${relative(root, file.name)}: ${name}`);
    }
  }
  for (const project of projects()) {
    for (const { file, message } of uncaughtErrors(project) ?? [])
      console.log(
        `FAILED, not caught by any test of ${relative(root, file ?? project)}: ${message.split('\n', 4).join(' ')}`,
      );
  }
  if (skipped.length > 0) {
    console.log('\n!!! NOT RUN on this machine:');
    skipped.forEach((line) => console.log(`!!!   ${line}`));
    console.log('!!! The suites that meet these real parts were left out. CI runs them.\n');
  }
  const seconds = env.POSTMESH_LEDGER_SECONDS;
  const ofCi = secondsInTests({ CI: 'true' });
  console.log(`The crash ledger is run for ${seconds} s of load in each mode, by CI for ${ofCi} s.`);
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  return totals.failed > 0 || totals.passed === 0;
}
