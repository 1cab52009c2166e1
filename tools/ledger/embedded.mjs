// @ts-check
// Postmesh like `npm start`, with its own PostgreSQL, on a data directory that survives the kills: one process, or a main
// one and others that accept.
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
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
import { ACCEPTING, acceptingElsewhere, RoleProcess } from './role-process.mjs';
import { LEDGER_SETTINGS } from './system.mjs';

const MAIN = join(import.meta.dirname, '..', '..', 'services', 'all-in-one', 'dist', 'main.js');
// A busy machine needs a minute for it.
const START_MS = 150_000;
/** The main process; its PostgreSQL, which it starts again; a process that accepts. */
const PARTS = ['all-in-one', 'postgres', 'accept'];
// A log of some seconds is replayed, on a busy machine.
const BACK_MS = 60_000;

/**
 * @param {object} world
 * @param {number} world.sinkPort
 * @param {string} [world.dataDir] with its data; a new one unless given
 * @param {Record<string, string>} [world.settings] over those of the ledger
 * @param {number} [world.accepting] number of processes that accept in place of the main one; none unless given
 * @param {string} [world.logFile] that its log is appended to
 * @returns {Promise<import('./system.mjs').System>} PostgreSQL outlives the kills of the process, and is taken over by
 *   the next start
 * @throws Error when it does not start
 */
export async function startEmbedded({
  sinkPort,
  dataDir = makeFolder('ledger'),
  settings = {},
  accepting = 0,
  logFile,
}) {
  // made at each start: settings may change between two of them
  const shared = accepting > 0 ? await acceptingElsewhere() : {};
  const env = () => ({ ...environment(dataDir, sinkPort), ...shared, ...settings });
  /** @type {RoleProcess[]} */
  const others = [];
  lastResort(dataDir, () => killPostmaster(dataDir));
  /** @type {import('../processes.mjs').Child} */
  let child;
  /** @type {import('./system.mjs').Addresses} */
  let addresses;
  const begin = async () => {
    const before = others.map((one) => one.starts);
    child = startChild(process.execPath, [MAIN], { env: env() });
    if (logFile !== undefined) child.stderr?.pipe(createWriteStream(logFile, { flags: 'a' }));
    await ready(child);
    // local-internet has other ports at each start, and those that accept end and start with them
    await waitUntil(() => others.every((one, nth) => one.starts > before[nth]), { limitMs: BACK_MS });
    while (others.length < accepting) others.push(new RoleProcess({ ...env(), ...ACCEPTING }));
    await Promise.all(others.map((one) => one.ready()));
    addresses = readAddresses(dataDir);
  };
  const stop = async () => {
    await Promise.all(others.map((one) => one.stop()));
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
    parts: PARTS.filter((part) => part !== 'accept' || accepting > 0),
    acceptsMeanwhile: false,
    kill: async (part) => {
      if (part === 'postgres') await killServer(dataDir);
      else if (part === 'accept') await others[0].end('SIGKILL');
      else await stopChild(child, { signal: 'SIGKILL' });
    },
    begin: async (part) => {
      if (part === 'postgres') await comeBack({ dataDir, child, operator: addresses.operator });
      else if (part === 'accept') await others[0].ready();
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
    throw new Error(`Postmesh did not start: ${child.output() || 'no output'}`);
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
    throw new Error(`Postmesh is not ready again after a kill of PostgreSQL: ${child.output()}`);
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
