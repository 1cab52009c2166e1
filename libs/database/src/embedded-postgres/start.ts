import { setTimeout as nap } from 'node:timers/promises';
import type { Logger } from '@postmesh/observability';
import { locateBinaries, type Binaries, type BinariesOptions } from './binaries.js';
import { clusterName, clusterPaths, ensureCluster, readPassword, type ClusterPaths } from './cluster.js';
import { EmbeddedPostgresError } from './failure.js';
import { launchServer } from './launch.js';
import { rememberPort, rememberedPort } from './port.js';
import { answers, findPostmaster, stopPostmaster, type Postmaster } from './postmaster.js';
import { serverIdentity, type ServerIdentity } from './server-identity.js';
import { settingArguments } from './server-settings.js';

const START_LIMIT_MS = 120_000;

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
  /** of the database `postgres`, as superuser; holds the password */
  url: string;
  pid: number;
  /** true when the server ran already: left by a process that was killed, or shared with another */
  adopted: boolean;
  /** Ends the server, adopted or not; bounded by 9 s; further calls do nothing. */
  stop(): Promise<void>;
}

interface Start {
  options: EmbeddedPostgresOptions;
  paths: ClusterPaths;
  server: Postmaster;
  binaries: Binaries;
  who: ServerIdentity;
  password: string;
  deadline: number;
}

/**
 * A real PostgreSQL on loopback with its data below `dataDir`: made at the first call, started when it
 * does not run, adopted when it does. It outlives this process unless `stop` is called.
 * As root the server runs as an unprivileged user.
 * @throws EmbeddedPostgresError when it cannot be had; the text says why
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const begun = Date.now();
  const paths = clusterPaths(options.dataDir);
  const who = await serverIdentity(paths.data);
  const binaries = await locateBinaries(who, options.binaries ?? {});
  await ensureCluster(paths, binaries, who);
  const server = { data: paths.data, name: await clusterName(paths) };
  const password = await readPassword(paths);
  const deadline = begun + START_LIMIT_MS;
  const started = await adoptOrLaunch({ options, paths, server, binaries, who, password, deadline });
  const { port, pid, adopted } = started;
  options.logger?.info({ port, pid, adopted, took_ms: Date.now() - begun }, 'embedded PostgreSQL is ready');
  let stopping: Promise<void> | undefined;
  return {
    url: urlOf(port, password),
    pid,
    adopted,
    stop: () => (stopping ??= stopPostmaster(server, pid, binaries)),
  };
}

/** Every round looks afresh, since another process may start or stop the same server meanwhile. */
async function adoptOrLaunch(start: Start): Promise<{ port: number; pid: number; adopted: boolean }> {
  while (Date.now() < start.deadline) {
    const running = await findPostmaster(start.server);
    if (running === undefined) {
      const launched = await launchOnce(start);
      if (launched !== undefined) return { ...launched, adopted: false };
    } else if (running.port !== undefined && running.status === 'ready') {
      const { pid, port } = running;
      if (await answers(urlOf(port, start.password), start.server)) return { pid, port, adopted: true };
    }
    // starting, recovering or shutting down: nothing tells us when it is over
    await nap(25);
  }
  throw new EmbeddedPostgresError(
    `a server holds ${start.paths.data} but does not response; its log is ${start.paths.log}`,
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
