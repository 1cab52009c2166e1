import { randomInt } from 'node:crypto';
import { readFile, stat, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as nap } from 'node:timers/promises';
import type { Logger } from '@postmesh/observability';
import { locateBinaries, type Binaries, type BinariesOptions } from './binaries.js';
import { clusterName, clusterPaths, ensureCluster, readPassword, type ClusterPaths } from './cluster.js';
import { EmbeddedPostgresError, codeOf } from './failure.js';
import { answers, findPostmaster, launchServer, stopPostmaster, type Postmaster } from './postmaster.js';
import { serverIdentity, type ServerIdentity } from './server-user.js';

const START_LIMIT_MS = 120_000;
// After a crash the log is replayed, up to `max_wal_size` of it: a try that is cut would begin at its start again.
const RESTART_LIMIT_MS = 600_000;

export interface EmbeddedPostgresOptions {
  /** where data, password, port and log are kept; made when missing */
  dataDir: string;
  /** default: a free one, kept over restarts while it stays free */
  port?: number;
  /** PostgreSQL settings over ours; they take effect when the server starts, not on an adopted one */
  settings?: Readonly<Record<string, string>>;
  logger?: Pick<Logger, 'info' | 'warn'>;
  /** other binaries than those of the installed package */
  binaries?: BinariesOptions;
}

export interface EmbeddedPostgres {
  /** of the database `postgres`, as superuser; holds the password. By the socket in its `host` where there is one */
  url: string;
  /** of the server that was started last */
  readonly pid: number;
  /** true when the server ran already: left by a process that was killed, or shared with another */
  adopted: boolean;
  /** Whether its process is there and not about to end. It may be too busy, or too full, to take connections. */
  isRunning(): Promise<boolean>;
  /** that the server may still write to its disk */
  freeBytes(): Promise<number>;
  /**
   * Starts it again on the same data at the same URL; does nothing where another process has started it.
   * @throws EmbeddedPostgresError when it does not start, or after a `stop`
   */
  startAgain(): Promise<void>;
  /**
   * Ends the server, adopted or not, and a start in progress; further calls do nothing.
   * @param limitMs 2 s or more; default 9 s
   */
  stop(limitMs?: number): Promise<void>;
}

interface Start {
  options: EmbeddedPostgresOptions;
  paths: ClusterPaths;
  server: Postmaster;
  binaries: Binaries;
  who: ServerIdentity;
  password: string;
  /** by `performance.now()` */
  deadline: number;
  /** ends a start in progress */
  abort: AbortSignal;
}

/**
 * A real PostgreSQL on loopback with its data below `dataDir`: created at the first call, started when it does not
 * run, adopted when it does. It outlives this process unless `stop` is called. As root the server runs as an
 * unprivileged user.
 * @throws EmbeddedPostgresError when it is not available; the text names the reason
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const begun = performance.now();
  const paths = clusterPaths(options.dataDir);
  const who = await serverIdentity(paths.data);
  const binaries = await locateBinaries(who, options.binaries ?? {});
  await ensureCluster(paths, binaries, who);
  const server = { data: paths.data, name: await clusterName(paths) };
  const password = await readPassword(paths);
  const deadline = begun + START_LIMIT_MS;
  const stopping = new AbortController();
  const start = { options, paths, server, binaries, who, password, deadline, abort: stopping.signal };
  const { port, pid, adopted } = await adoptOrLaunch(start);
  const facts = {
    event: 'postgres.started',
    port,
    pid,
    adopted,
    took_ms: Math.round(performance.now() - begun),
  };
  options.logger?.info(facts, 'embedded PostgreSQL is ready');
  return new RunningPostgres(start, {
    url: await socketOrTcpUrl(paths, port, password),
    ...{ port, pid, adopted, stopping },
  });
}

interface Started {
  url: string;
  port: number;
  pid: number;
  adopted: boolean;
  stopping: AbortController;
}

class RunningPostgres implements EmbeddedPostgres {
  readonly url: string;
  readonly adopted: boolean;
  private starting: Promise<unknown> = Promise.resolve();
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly start: Start,
    private readonly started: Started,
  ) {
    ({ url: this.url, adopted: this.adopted } = started);
  }

  get pid(): number {
    return this.started.pid;
  }

  async isRunning(): Promise<boolean> {
    const found = await findPostmaster(this.start.server);
    return found !== undefined && found.status !== 'stopping';
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.start.paths.data);
    return bavail * bsize;
  }

  startAgain(): Promise<void> {
    const again = this.launchAgain();
    this.starting = again.catch(() => undefined);
    return again;
  }

  stop(limitMs?: number): Promise<void> {
    return (this.stopped ??= this.end(limitMs));
  }

  private async launchAgain(): Promise<void> {
    const { server, binaries, options } = this.start;
    const left = await findPostmaster(server);
    // A server in smart shutdown waits for its sessions to close, and they stay open as long as it runs.
    if (left?.status === 'stopping') await stopPostmaster(server, left.pid, binaries);
    // Clients have the URL, so the port stays the same.
    const { port } = this.started;
    const deadline = performance.now() + RESTART_LIMIT_MS;
    const found = await adoptOrLaunch({ ...this.start, options: { ...options, port }, deadline });
    if (found.port !== port)
      throw new EmbeddedPostgresError(`it runs at port ${found.port} instead of ${port}`);
    this.started.pid = found.pid;
  }

  private async end(limitMs?: number): Promise<void> {
    this.started.stopping.abort();
    await this.starting;
    await stopPostmaster(this.start.server, this.pid, this.start.binaries, limitMs);
  }
}

/** Every round reads the state again, since another process may start or stop the same server meanwhile. */
async function adoptOrLaunch(start: Start): Promise<{ port: number; pid: number; adopted: boolean }> {
  while (performance.now() < start.deadline && !start.abort.aborted) {
    const running = await findPostmaster(start.server);
    if (running === undefined) {
      const launched = await launchOnce(start);
      if (launched !== undefined) return { ...launched, adopted: false };
    } else if (running.port !== undefined && running.status === 'ready') {
      const { pid, port } = running;
      if (await answers(urlOf(port, start.password), start.server)) return { pid, port, adopted: true };
    }
    // starting, recovering or shutting down: there is no notification of the end
    await nap(25);
  }
  if (start.abort.aborted) throw new EmbeddedPostgresError('PostgreSQL is being stopped');
  throw new EmbeddedPostgresError(
    `a server holds ${start.paths.data} but does not answer; its log is ${start.paths.log}`,
  );
}

async function launchOnce(start: Start): Promise<{ port: number; pid: number } | undefined> {
  const { options, paths } = start;
  const port = options.port ?? (await rememberedPort(paths.port));
  const result = await launchServer({
    ...start,
    port,
    settingArguments: settingArguments(options.settings ?? {}),
  });
  if (result === 'port-taken' && options.port !== undefined) {
    throw new EmbeddedPostgresError(`port ${port} of 127.0.0.1 is taken by another program`);
  }
  if (typeof result === 'string') return undefined;
  await rememberPort(paths.port, port);
  return { port, pid: result.pid };
}

const urlOf = (port: number, password: string): string =>
  `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;

// `sun_path` of a socket's address has 108 bytes on Linux and 104 on macOS, the last one is NUL.
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;

/**
 * The same with the folder of the server's Unix socket as `host`, which saves up to a quarter of its CPU time against
 * TCP on loopback (libpq and pg take it before the name in the URL). The socket is in PGDATA, which only the server's
 * user may enter. A path that is too long for a socket, and Windows, stay with TCP.
 */
async function socketOrTcpUrl(paths: ClusterPaths, port: number, password: string): Promise<string> {
  const url = urlOf(port, password);
  const socket = join(paths.data, `.s.PGSQL.${port}`);
  if (process.platform === 'win32' || Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES) return url;
  const isThere = await stat(socket).then(
    (entry) => entry.isSocket(),
    () => false,
  );
  return isThere ? `${url}?host=${encodeURIComponent(paths.data)}` : url;
}

/**
 * For a laptop and for throughput. Durability is never traded: fsync and synchronous_commit stay on. Settings of the
 * caller override these.
 */
const DEFAULTS: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '256MB',
  wal_buffers: '16MB',
  // full-page images are most of the log of a busy queue; this build has pglz only
  wal_compression: 'on',
  // a checkpoint every 15 minutes instead of 5: fewer full-page images
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  // some 120 of the services of one process, up to 40 of each other one that accepts (decision 110), and twice those of one
  // of them while it restarts
  max_connections: '300',
  // short transactions on few cores: planning for parallel workers and JIT cost more than they give
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  // queue tables turn over completely: dead rows must go before they outnumber the living
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_analyze_scale_factor: '0.05',
  // failed statements are the caller's to report; in the server's log they would show customers' data
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

/** Never to be changed by a caller: the server is ours alone and listens on loopback and below its folder only. */
const FIXED: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  // PGDATA, the working folder of the server: mode 0700, and a short name however long its path is
  unix_socket_directories: process.platform === 'win32' ? '' : '.',
  log_destination: 'stderr',
  logging_collector: 'off',
};

/** The settings as arguments of `postgres`. @throws Error on a name that is no setting's */
function settingArguments(given: Readonly<Record<string, string>>): string[] {
  const all = { ...DEFAULTS, ...given, ...FIXED };
  return Object.entries(all).flatMap(([name, value]) => {
    if (!/^[a-z_.]+$/.test(name)) throw new Error(`'${name}' is not the name of a PostgreSQL setting`);
    return ['-c', `${name}=${value}`];
  });
}

// Below the ports that systems give to outgoing connections (RFC 6335 §6, Linux from 32768 on): one of those could be
// taken by a client between here and the server that is to listen.
const FREE_PORTS = { from: 10_000, to: 32_000 };
const MAX_TRIES = 50;

/** A port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await claim(randomInt(FREE_PORTS.from, FREE_PORTS.to)).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return claim(0);
}

/** The port of the last start while it is free, so that people's tools keep working; else a new one. */
async function rememberedPort(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const port = Number(text.trim());
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return freePort();
  return claim(port).catch((error: unknown) => {
    if (['EADDRINUSE', 'EACCES'].includes(codeOf(error) ?? '')) return freePort();
    throw error;
  });
}

/** Not written when it is known: on a full disk a write would leave an empty file. */
async function rememberPort(file: string, port: number): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.trim() !== String(port)) await writeFile(file, `${port}\n`);
}

function claim(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      const claimed = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(claimed));
    });
  });
}
