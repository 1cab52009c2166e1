// @ts-check
// Postmesh like a customer's `npm start`: all-in-one in a process of its own, on a data directory that is removed
// after the run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Agent, request } from 'undici';
import { perThousand } from './figures.rules.mjs';
import {
  cpuSeconds,
  findPostmaster,
  killPostmaster,
  lastResort,
  makeFolder,
  noLastResort,
  processTree,
  peakMib,
  removeFolder,
  resetPeak,
  residentMib,
  sleep,
  startChild,
  stopChild,
  treeCpuSeconds,
  treeMib,
  waitUntil,
} from '../tools/processes.mjs';
import { ACCEPTING, acceptingElsewhere, RoleProcess } from '../tools/ledger/role-process.mjs';
import { freeze, thaw } from './frozen.mjs';
import { LoadGenerator, Sink } from './workers.mjs';

const ROOT = join(import.meta.dirname, '..');
/** @type {import('./trees.mjs').Variant} */
const OWN = { name: 'this tree', root: ROOT, node: process.execPath };
// The arguments of `npm start` (package.json).
const NODE_ARGUMENTS = ['--max-semi-space-size=32', '--heap-growing-percent=60'];
const START_LIMIT_MS = 180_000;
const THAW_LIMIT_MS = 30_000;
const THAW_MS = 2_000;
// The service checks a domain once a minute at most (spec 1-platform §11.3): time for a second check.
const DNS_LIMIT_MS = 150_000;
export const DOMAIN = 'bench.test';

export class Stack {
  constructor({ dataDir, child, accepting, baseUrl }) {
    this.dataDir = dataDir;
    this.child = child;
    this.accepting = accepting;
    const { hostname, port } = new URL(baseUrl);
    // a name would be looked up for each connection, and may resolve to ::1, without a listener
    this.address = { host: hostname === 'localhost' ? '127.0.0.1' : hostname, port: Number(port) };
    this.credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
    this.agent = new Agent({ connections: 1 });
    this.postmaster = findPostmaster(dataDir);
  }

  /**
   * @param {{ sinkPort: number, settings?: Record<string, string>, variant?: import('./trees.mjs').Variant }} about
   *   `variant`: another built tree and its runtime, if any
   * @returns {Promise<Stack>}
   * @throws Error when it does not print `postmesh ready` in time, or the domain does not become valid
   */
  static async start({ sinkPort, settings = {}, variant = OWN }) {
    const dataDir = makeFolder('data');
    lastResort(dataDir, () => killPostmaster(dataDir));
    const main = join(variant.root, 'services', 'all-in-one', 'dist', 'main.js');
    const { node, cores, nodeArguments = [] } = variant;
    // PostgreSQL inherits the processors
    const pinned = cores === undefined ? [] : ['taskset', '--cpu-list', `0-${cores - 1}`];
    const [command = node, ...args] = [...pinned, node, ...NODE_ARGUMENTS, ...nodeArguments, main];
    const env = { ...environment(dataDir, sinkPort), ...settings, ...variant.settings };
    const shared = variant.accepting ? await acceptingElsewhere() : {};
    const child = startChild(command, args, { cwd: variant.root, env: { ...env, ...shared } });
    const accepting = Array.from(
      { length: variant.accepting ?? 0 },
      () => new RoleProcess({ ...env, ...shared, ...ACCEPTING }, NODE_ARGUMENTS),
    );
    const ready = await Promise.race([readyLine(child), child.ended.then(() => undefined)]);
    if (ready === undefined) {
      await end({ child, accepting, dataDir });
      throw new Error(`Postmesh did not start: ${child.output() || 'it said nothing'}`);
    }
    const stack = new Stack({ dataDir, child, accepting, baseUrl: ready });
    try {
      await Promise.all(accepting.map((one) => one.ready()));
      await stack.makeDomain();
    } catch (error) {
      const explained = stack.explain(error);
      await stack.stop();
      throw explained;
    }
    return stack;
  }

  /**
   * Input of the load generator for sending messages.
   * @param {{ recipients: number, bodyBytes: number, firstAttempt?: string }} message
   */
  target(message) {
    const { account_id: account, api_key: apiKey } = this.credentials;
    const path = `/v2/accounts/${account}/messages/conversation`;
    return { ...this.address, message: { path, apiKey, from: `sender@${DOMAIN}`, ...message } };
  }

  makeDomain() {
    const { account_id: account, api_key: key } = this.credentials;
    return this.verify({ account, key, domain: DOMAIN });
  }

  /**
   * An account of its own that may send.
   * @param {string} domain
   * @returns {Promise<{ account: string, key: string, domain: string }>}
   */
  async newSender(domain) {
    const about = { name: domain, owner_email: `owner@${domain}` };
    const { id: account } = await this.operate('/operator/accounts/accounts', about);
    const path = `/operator/accounts/accounts/${account}/api-keys`;
    const { secret_key: key } = await this.operate(path, { label: 'bench', scopes: ['*'] });
    const sender = { account, key, domain };
    await this.verify(sender);
    return sender;
  }

  /** @param {{ account: string, key: string, domain: string }} sender */
  async verify({ account, key, domain }) {
    const url = `${this.apiUrl}/v2/accounts/${account}/domains`;
    await this.ask(url, { token: key, expected: 201, body: { domain } });
    const valid = await waitUntil(
      async () => (await this.ask(`${url}/${domain}/check-dns`, { token: key, expected: 200 })).dns_valid,
      { limitMs: DNS_LIMIT_MS, everyMs: 1_000 },
    );
    if (!valid) throw new Error(`${domain} did not become valid; Postmesh said: ${this.child.output()}`);
    // an event carries the fact to the delivery worker
    await sleep(500);
  }

  /** Records in local-internet. @param {string} zone @param {readonly object[]} records */
  async publishZone(zone, records) {
    const url = `${this.credentials.mailbox_url.replace(/\/$/, '')}/api/zones/${zone}`;
    await this.ask(url, { method: 'PUT', expected: 200, body: { records } });
  }

  get apiUrl() {
    return `http://${this.address.host}:${this.address.port}`;
  }

  operate(path, body) {
    const { operator_url: base, operator_token: token } = this.credentials;
    return this.ask(`${base}${path}`, { token, expected: 201, body });
  }

  call(method, path, expected, body) {
    const { account_id: account, api_key: token } = this.credentials;
    return this.ask(`${this.apiUrl}/v2/accounts/${account}${path}`, { method, token, expected, body });
  }

  /** @param {string} url @param {{ method?: string, token?: string, expected: number, body?: unknown }} about */
  async ask(url, { method = 'POST', token, expected, body }) {
    const { statusCode, body: response } = await request(url.replace('//localhost:', '//127.0.0.1:'), {
      method: /** @type {import('undici').Dispatcher.HttpMethod} */ (method),
      dispatcher: this.agent,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: 30_000,
    });
    const text = await response.text();
    if (statusCode !== expected) throw new Error(`${method} ${url}: ${statusCode} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  /** Processes of Postmesh: the main one, and others that accept. */
  processes() {
    return [this.child.pid, ...this.accepting.map(({ pid }) => pid)];
  }

  /** Its programs, for `freeze`: Node, and PostgreSQL with its sessions. @returns {import('./frozen.mjs').Group[]} */
  groups() {
    return [
      () => this.processes(),
      () => (this.postmaster === undefined ? [] : processTree(this.postmaster)),
    ];
  }

  /** Node alone: for another system on the same PostgreSQL server. */
  nodeGroups() {
    return this.groups().slice(0, 1);
  }

  /** Stops all of it, until `thaw`. */
  freeze() {
    freeze(this.groups());
  }

  /** Resolves when it answers, and has closed the connections that grew too old. */
  async thaw() {
    thaw(this.groups());
    const { operator_url: operator, operator_token: token } = this.credentials;
    const isReady = () =>
      this.ask(`${operator}/health/ready`, { method: 'GET', token, expected: 200 }).catch(() => undefined);
    if (!(await waitUntil(isReady, { limitMs: THAW_LIMIT_MS, everyMs: 100 }))) {
      throw new Error(`Postmesh did not continue: ${this.child.output() || 'it said nothing'}`);
    }
    await sleep(THAW_MS);
  }

  /** @returns CPU seconds so far: `{postmesh, postgres}`, null where they cannot be known */
  cpu() {
    return { postmesh: sum(this.processes().map(cpuSeconds)), postgres: treeCpuSeconds(this.postmaster) };
  }

  /**
   * @param {ReturnType<Stack['cpu']>} before an earlier `cpu()` @param {number} count of operations since
   * @returns CPU seconds per 1,000 of them
   */
  cpuPerThousand(before, count) {
    const after = this.cpu();
    /** @param {'postmesh' | 'postgres'} part */
    const of = (part) => {
      const [from, to] = [before[part], after[part]];
      return from === null || to === null ? null : perThousand(to - from, count);
    };
    return { postmesh: of('postmesh'), postgres: of('postgres') };
  }

  /** @returns MiB now */
  memory() {
    return { postmesh: sum(this.processes().map(residentMib)), postgres: treeMib(this.postmaster) };
  }

  /** From now on. */
  resetPeak() {
    this.processes().forEach(resetPeak);
  }

  /** @returns MiB at most since `resetPeak()`; of several processes a bound, as each has its own moment */
  peak() {
    return sum(this.processes().map(peakMib));
  }

  /** Checks that durability was not switched off for speed. */
  databaseFacts() {
    return this.askDatabase(async (client) => {
      /** @type {Record<string, string>} */
      const shown = {};
      for (const name of ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes']) {
        shown[name] = (await client.query(`SHOW ${name}`)).rows[0][name];
      }
      return shown;
    });
  }

  /** @returns {Promise<number>} transactions of all services since the start of the server, by its last count */
  transactions() {
    return this.askDatabase(async (client) => {
      const counted = await client.query(
        `select (xact_commit + xact_rollback)::float8 as count
           from pg_stat_database where datname = current_database()`,
      );
      return counted.rows[0].count;
    });
  }

  /** @returns {Promise<Map<number, string>>} PostgreSQL's processes and the names of their clients */
  backends() {
    return this.askDatabase(async (client) => {
      const { rows } = await client.query(
        `select pid, application_name as name from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      return new Map(rows.map(({ pid, name }) => [pid, name.replace(/^postmesh-/, '')]));
    });
  }

  async askDatabase(ask) {
    const folder = join(this.dataDir, 'postgres', 'instance');
    const client = new pg.Client({
      host: '127.0.0.1',
      port: Number(readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[3]),
      user: 'postgres',
      password: readFileSync(join(folder, 'password'), 'utf8').trim(),
      database: 'postgres',
    });
    await client.connect();
    try {
      return await ask(client);
    } finally {
      await client.end();
    }
  }

  /** Explains a failure by the end of Postmesh, if it has ended. */
  explain(error) {
    const { exitCode, signalCode } = this.child;
    if (exitCode === null && signalCode === null) return error;
    const how = signalCode ?? `exit code ${exitCode}`;
    return new Error(`Postmesh ended (${how}): ${this.child.output() || 'it said nothing'}`, {
      cause: error,
    });
  }

  async stop() {
    thaw(this.groups());
    await this.agent.destroy();
    await end(this);
  }
}

/** @typedef {{ sink: Sink, stack: Stack, generator: LoadGenerator }} Parts */

/**
 * Starts a sink, a system of its own and a load generator, runs the work, and stops all three.
 * @template T
 * @param {{ tls: boolean, note: (versions: Record<string, unknown>) => void, variant?: import('./trees.mjs').Variant }} about
 *   `note` records the versions of the database
 * @param {(parts: Parts) => Promise<T>} work
 * @returns {Promise<T>}
 * @throws Error of the work; with Postmesh's last output where it had ended
 */
export async function withParts({ tls, note, variant }, work) {
  const sink = await Sink.start({ tls });
  try {
    const stack = await Stack.start({ sinkPort: sink.port, variant });
    const generator = new LoadGenerator();
    try {
      note({ postgres: await stack.databaseFacts() });
      return await work({ sink, stack, generator });
    } catch (error) {
      throw stack.explain(error);
    } finally {
      await generator.stop();
      await stack.stop();
    }
  } finally {
    await sink.stop();
  }
}

/** PostgreSQL outlives a Postmesh that had to be killed. */
async function end({ child, accepting, dataDir }) {
  await Promise.all(accepting.map((one) => one.stop()));
  await stopChild(child, { graceMs: 20_000 });
  if (killPostmaster(dataDir)) {
    await waitUntil(() => findPostmaster(dataDir) === undefined, { limitMs: 10_000 });
  }
  noLastResort(dataDir);
  removeFolder(dataDir);
}

/** @param {readonly (number | null)[]} values @returns {number | null} null when one of them is not known */
const sum = (values) => values.reduce((all, one) => (all === null || one === null ? null : all + one), 0);

/** @returns {Promise<string | undefined>} the base URL; undefined when the line does not come in time */
function readyLine(child) {
  let said = '';
  child.stdout.on('data', (chunk) => (said = said.length < 100_000 ? said + chunk : said));
  return waitUntil(() => /^postmesh ready (\S+)/m.exec(said)?.[1], { limitMs: START_LIMIT_MS, everyMs: 50 });
}

function environment(dataDir, sinkPort) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^POSTMESH_|DATABASE_URL$|^KAFKA_BROKERS$|^REDIS_URL$/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    POSTMESH_DATA_DIR: dataDir,
    POSTMESH_HTTP_PORT: '0',
    POSTMESH_SUBMISSION_PORTS: '0',
    POSTMESH_MX_PORT: '0',
    POSTMESH_OPERATOR_PORT: '0',
    POSTMESH_MAILBOX_PORT: '0',
    POSTMESH_REMOTE_SMTP_PORT: String(sinkPort),
    POSTMESH_LOCAL_INTERNET: 'on',
    POSTMESH_LOG_LEVEL: 'warn',
    POSTMESH_RATE_GENERAL_PER_SECOND: '1000000',
    POSTMESH_RATE_GENERAL_BURST: '1000000',
    POSTMESH_RATE_STATISTICS_PER_SECOND: '1000000',
    POSTMESH_RATE_STATISTICS_BURST: '1000000',
  };
}
