import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';

/** A process by number and start time, as numbers come again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** the result of `processStart`; '' where it is unknown */
  readonly started: string;
}

const run = promisify(execFile);
// proc_pid_stat(5): field 22, counted behind the name in parentheses, which may hold anything.
const START_TIME = 22 - 3;

/** When the process began, as one word that no other process of this number has; '' where it cannot be known. */
export async function processStart(pid: number): Promise<string> {
  if (process.platform === 'win32') return '';
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const boot = await bootId();
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME];
    return ticks === undefined ? '' : `${boot}/${ticks}`;
  }
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim().replaceAll(/\s+/g, '_');
}

/** Whether the process runs on this machine. Where its start cannot be known, whether one of its number does. */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || !takesSignals(pid)) return false;
  const now = await processStart(pid);
  return started === '' || now === '' || now === started;
}

/**
 * Where process numbers mean what they mean here, as one word: the machine since it was started, and on Linux the
 * container on it. '' where it cannot be known.
 */
export async function processSpace(): Promise<string> {
  if (process.platform !== 'linux') return hostname().replaceAll(/\s+/g, '_');
  const space = await readlink('/proc/self/ns/pid').catch(() => '');
  const boot = await bootId();
  return space === '' || boot === '' ? '' : `${boot}/${space}`;
}

const bootId = async (): Promise<string> =>
  (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();

function takesSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
