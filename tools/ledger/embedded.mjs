// @ts-check
// Postmesh like `npm start`: one process with its own PostgreSQL, on a data directory that survives the kills.
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  acceptProcesses as pidsOfAcceptProcesses,
  findPostmaster,
  killPostmaster,
  lastResort,
  makeFolder,
  noLastResort,
  removeFolder,
  startChild,
  stopChild,
  waitUntil,
} from '../processes.mjs';
import { LEDGER_SETTINGS } from './system.mjs';

const MAIN = join(import.meta.dirname, '..', '..', 'services', 'all-in-one', 'dist', 'main.js');
// A busy machine needs a minute for it.
const START_MS = 150_000;
/** The process; its PostgreSQL, and one of its accept processes, which it restarts. */
const PARTS = ['all-in-one', 'postgres', 'accept'];
// A log of some seconds is replayed, on a busy machine.
const BACK_MS = 60_000;

/**
 * @param {object} world
 * @param {number} world.sinkPort
 * @param {string} [world.dataDir] with its data; a new one unless given
 * @param {Record<string, string>} [world.settings] over those of the ledger
 * @param {number} [world.acceptProcesses] number of accept processes; none unless given
 * @param {string} [world.logFile] that its log is appended to
 * @returns {Promise<import('./system.mjs').System>} PostgreSQL outlives the kills of the process, and is taken over by
 *   the next start
 * @throws Error when it does not start
 */
export async function startEmbedded({
  sinkPort,
  dataDir = makeFolder('ledger'),
  settings = {},
  acceptProcesses = 0,
  logFile,
}) {
  // made at each start: settings may change between two of them
  const env = () => ({
    ...environment(dataDir, sinkPort),
    POSTMESH_ACCEPT_PROCESSES: String(acceptProcesses),
    ...settings,
  });
  lastResort(dataDir, () => killPostmaster(dataDir));
  /** @type {import('../processes.mjs').Child} */
  let child;
  /** @type {import('./system.mjs').Addresses} */
  let addresses;
  const begin = async () => {
    child = startChild(process.execPath, [MAIN], { env: env() });
    if (logFile !== undefined) child.stderr?.pipe(createWriteStream(logFile, { flags: 'a' }));
    await ready(child);
    addresses = readAddresses(dataDir);
  };
  const stop = async () => {
    await stopChild(child, { graceMs: 20_000 });
    if (killPostmaster(dataDir))
      await waitUntil(() => findPostmaster(dataDir) === undefined, { limitMs: 10_000 });
    noLastResort(dataDir);
    removeFolder(dataDir);
  };
  try {
    await begin();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    addresses: () => addresses,
    parts: PARTS.filter((part) => part !== 'accept' || acceptProcesses > 0),
    goesOn: false,
    kill: async (part) => {
      if (part === 'postgres') await killServer(dataDir);
      else if (part === 'accept') await killAccepting(child.pid);
      else await stopChild(child, { signal: 'SIGKILL' });
    },
    begin: async (part) => {
      if (part === 'postgres') await comeBack({ dataDir, child, operator: addresses.operator });
      else if (part === 'accept')
        await acceptAgain({ count: acceptProcesses, child, operator: addresses.operator });
      else await begin();
    },
    stop,
    output: () => child.output(),
  };
}

/** @param {import('../processes.mjs').Child} child */
async function ready(child) {
  let said = '';
  child.stdout?.on('data', (chunk) => (said = (said + chunk).slice(-1_000)));
  const isReady = waitUntil(() => /^postmesh ready \S+/m.test(said), { limitMs: START_MS });
  if ((await Promise.race([isReady, child.ended.then(() => false)])) !== true)
    throw new Error(`Postmesh did not start: ${child.output() || 'it said nothing'}`);
}

/** kill -9 of the postmaster. Its sessions end with it. @param {string} dataDir */
async function killServer(dataDir) {
  const pid = findPostmaster(dataDir);
  if (pid === undefined) throw new Error('PostgreSQL does not run');
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => findPostmaster(dataDir) !== pid, { limitMs: 10_000 });
}

/**
 * Resolves when the surviving process has restarted it, and is ready.
 * @param {{ dataDir: string, operator: string, child: import('../processes.mjs').Child }} system
 */
async function comeBack({ dataDir, operator, child }) {
  const isReady = async () =>
    findPostmaster(dataDir) !== undefined && (await fetch(`${operator}/health/ready`)).status === 200;
  if ((await waitUntil(isReady, { limitMs: BACK_MS, everyMs: 50 })) !== true)
    throw new Error(`Postmesh did not come back after a kill of PostgreSQL: ${child.output()}`);
}

/** kill -9 of one of them. @param {number | undefined} main */
async function killAccepting(main) {
  const [pid] = pidsOfAcceptProcesses(main);
  if (pid === undefined) throw new Error('there is no accept process');
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => !pidsOfAcceptProcesses(main).includes(pid), { limitMs: 10_000 });
}

/** @param {{ count: number, operator: string, child: import('../processes.mjs').Child }} system */
async function acceptAgain({ count, operator, child }) {
  const all = `postmesh_accept_processes{state="running"} ${count}\n`;
  const areThere = async () => (await (await fetch(`${operator}/metrics`)).text()).includes(all);
  if ((await waitUntil(areThere, { limitMs: BACK_MS, everyMs: 50 })) !== true)
    throw new Error(`an accept process did not come back: ${child.output()}`);
}

/** @param {string} dataDir @returns {import('./system.mjs').Addresses} */
function readAddresses(dataDir) {
  const written = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  return {
    api: written.base_url,
    operator: written.operator_url,
    operatorToken: written.operator_token,
    account: written.account_id,
    key: written.api_key,
    submission: written.smtp.port,
    mx: written.smtp.mx_port,
  };
}

function environment(dataDir, sinkPort) {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    POSTMESH_DATA_DIR: dataDir,
    POSTMESH_HTTP_PORT: '0',
    POSTMESH_OPERATOR_PORT: '0',
    POSTMESH_MAILBOX_PORT: '0',
    POSTMESH_SUBMISSION_PORTS: '0',
    POSTMESH_MX_PORT: '0',
    POSTMESH_REMOTE_SMTP_PORT: String(sinkPort),
    POSTMESH_LOCAL_INTERNET: 'on',
    ...LEDGER_SETTINGS,
  };
}
