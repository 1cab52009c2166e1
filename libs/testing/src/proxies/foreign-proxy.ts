import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { realProgram } from '../real-part.js';
import type { NetworkNamespace } from './network-namespace.js';

/** A proxy that is not ours. */
interface ForeignProxy {
  stop(): Promise<void>;
}

const START_MS = 20_000;

/**
 * The path of HAProxy (Debian: haproxy), from `HAPROXY` or the usual places of systems.
 * @returns undefined = leave the suite out
 * @throws Error when this run requires it
 */
export const haproxyProgram = (): string | undefined => realProgram('HAPROXY', 'haproxy');

/** The path of microsocks, a SOCKS5 server (Debian: microsocks), as `haproxyProgram`. */
export const microsocksProgram = (): string | undefined => realProgram('MICROSOCKS', 'microsocks');

/** Where a proxy listens: on loopback, or at the address of a network namespace. */
interface Place {
  readonly port: number;
  readonly namespace?: NetworkNamespace | undefined;
}

/**
 * @param program from `haproxyProgram`
 * @param listens lines of `listen` sections; timeouts are given
 */
export async function startHaproxy(program: string, listens: string, place: Place): Promise<ForeignProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const head = 'global\n  maxconn 200\ndefaults\n  mode tcp\n  timeout connect 5s\n  timeout client 30s\n';
  await writeFile(file, `${head}  timeout server 30s\n${listens}\n`);
  const stop = await started([program, '-db', '-f', file], place);
  return {
    stop: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * @param program from `microsocksProgram`
 * @param options `bind`: the address from which it connects
 */
export async function startMicrosocks(
  program: string,
  options: Place & { bind: string; login?: { user: string; password: string } },
): Promise<ForeignProxy> {
  const login = options.login ? ['-u', options.login.user, '-P', options.login.password] : [];
  const at = ['-i', options.namespace?.address ?? '127.0.0.1', '-p', String(options.port)];
  return { stop: await started([program, ...at, '-b', options.bind, ...login], options) };
}

/** @returns its end */
async function started(line: readonly string[], { namespace, port }: Place): Promise<() => Promise<void>> {
  const [command = '', ...args] = [...(namespace?.exec ?? []), ...line];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)));
  }
  const until = Date.now() + START_MS;
  while (!(await answers(namespace?.address ?? '127.0.0.1', port))) {
    if (child.exitCode === null && Date.now() < until) await pause(50);
    else {
      await end(child);
      throw new Error(`${command} did not start: ${said}`);
    }
  }
  return () => end(child);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect({ port, host });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
