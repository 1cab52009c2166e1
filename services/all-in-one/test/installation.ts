import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BRIEF_LIFE } from '../../../tools/ledger/fleet.mjs';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
// A busy machine needs a minute for it.
const START_MS = 150_000;
const MAX_LOG_CHARS = 5_000_000;

export interface Credentials {
  base_url: string;
  account_id: string;
  api_key: string;
  operator_url: string;
  operator_token: string;
  smtp: { host: string; port: number; mx_port: number };
  mailbox_url: string;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  body: any; // eslint-disable-line typescript/no-explicit-any
}

/**
 * A whole Postmesh, started as a user does: one process, embedded parts, local-internet; or the main process of
 * several.
 */
export class Installation {
  private child: ChildProcess | undefined;
  private log = '';
  /** what it has printed for people: the ready line and hints */
  printed = '';
  credentials!: Credentials;

  private constructor(
    readonly dataDir: string,
    private readonly settings: Record<string, string>,
  ) {}

  static async create(settings: Record<string, string> = {}): Promise<Installation> {
    return new Installation(await mkdtemp(join(tmpdir(), 'postmesh-test-')), settings);
  }

  /** Variables of each of its processes. */
  environment(): Record<string, string | undefined> {
    return {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      POSTMESH_DATA_DIR: this.dataDir,
      POSTMESH_HTTP_PORT: '0',
      POSTMESH_OPERATOR_PORT: '0',
      POSTMESH_MAILBOX_PORT: '0',
      POSTMESH_SUBMISSION_PORTS: '0',
      POSTMESH_MX_PORT: '0',
      POSTMESH_LOG_LEVEL: 'warn',
      // the two keys of a domain of 2048 bits take a third of a second of a processor
      POSTMESH_DKIM_KEY_BITS: '1024',
      POSTMESH_RATE_GENERAL_PER_SECOND: '100000',
      POSTMESH_RATE_GENERAL_BURST: '100000',
      ...this.settings,
    };
  }

  /** @returns the ready line */
  async start(): Promise<string> {
    const child = spawn(process.execPath, [...BRIEF_LIFE, MAIN], {
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    const line = await this.untilReady(child);
    this.credentials = JSON.parse(
      await readFile(join(this.dataDir, 'credentials.json'), 'utf8'),
    ) as Credentials;
    return line;
  }

  /** @returns exit code and duration */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ code: number | null; tookMs: number }> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return { code: null, tookMs: 0 };
    const began = Date.now();
    const exited = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exited) as [number | null];
    return { code, tookMs: Date.now() - began };
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.stopPostgres();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  get output(): string {
    return this.log;
  }

  async api(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const { base_url, account_id, api_key } = this.credentials;
    return request(`${base_url}${path.replace('{A}', `/v2/accounts/${account_id}`)}`, {
      method,
      headers: {
        authorization: `Bearer ${api_key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  operator(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    return request(`${this.credentials.operator_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.credentials.operator_token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  mailbox(path: string, init: RequestInit = {}): Promise<ApiResponse> {
    return request(`${this.credentials.mailbox_url.replace(/\/$/, '')}${path}`, init);
  }

  /** A domain with records from local-internet, checked until it may send. */
  async verifiedDomain(domain: string): Promise<ApiResponse['body']> {
    const created = await this.api('POST', '{A}/domains', { domain });
    if (created.status !== 201)
      throw new Error(`creating ${domain}: ${created.status} ${JSON.stringify(created.body)}`);
    const checked = await this.api('POST', `{A}/domains/${domain}/check-dns`);
    if (checked.body?.dns_valid !== true)
      throw new Error(`${domain} is not valid: ${JSON.stringify(checked.body)}`);
    return checked.body;
  }

  /** The server survives a kill -9; a test that does not start again ends it. */
  private async stopPostgres(): Promise<void> {
    const pidFile = join(this.dataDir, 'postgres', 'instance', 'cluster', 'postmaster.pid');
    const number = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
    if (!(number > 1)) return;
    try {
      process.kill(number, 'SIGINT');
    } catch {
      return; // it ended with its parent
    }
    // the folder can be removed once no process writes to it
    for (let tries = 0; tries < 100 && isAlive(number); tries += 1) await setTimeout(100);
  }

  private untilReady(child: ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = globalThis.setTimeout(
        () => reject(new Error(`not ready in time:\n${this.log}`)),
        START_MS,
      );
      child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`ended with ${code} while starting:\n${this.log}`));
      });
      child.stderr?.on(
        'data',
        (chunk: Buffer) => (this.log = (this.log + chunk.toString()).slice(-MAX_LOG_CHARS)),
      );
      let out = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        this.printed = out;
        const line = /postmesh ready \S+/.exec(out)?.[0];
        if (line === undefined) return;
        clearTimeout(timer);
        resolve(line);
      });
    });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function request(url: string, init: RequestInit): Promise<ApiResponse> {
  const response = await fetch(url, init);
  const text = await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // not every response is JSON
  }
  return { status: response.status, headers: response.headers, body };
}
