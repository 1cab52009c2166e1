import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { realProgram } from '../real-part.js';

/** A proxy that is not ours. */
export interface ForeignProxy {
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

/**
 * @param program from `haproxyProgram`
 * @param listens lines of `listen` sections; timeouts are given
 * @param port on which one of them listens
 */
export async function startHaproxy(program: string, listens: string, port: number): Promise<ForeignProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const head = 'global\n  maxconn 200\ndefaults\n  mode tcp\n  timeout connect 5s\n  timeout client 30s\n';
  await writeFile(file, `${head}  timeout server 30s\n${listens}\n`);
  const stop = await started([program, '-db', '-f', file], port);
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
  options: { port: number; bind: string; login?: { user: string; password: string } },
): Promise<ForeignProxy> {
  const login = options.login ? ['-u', options.login.user, '-P', options.login.password] : [];
  const args = ['-i', '127.0.0.1', '-p', String(options.port), '-b', options.bind, ...login];
  return { stop: await started([program, ...args], options.port) };
}

/** @returns its end */
async function started([command = '', ...args]: string[], port: number): Promise<() => Promise<void>> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)));
  }
  const until = Date.now() + START_MS;
  while (!(await answers(port))) {
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

async function answers(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
