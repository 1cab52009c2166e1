import { chmod, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

// A stop takes ten seconds at most.
const STOP_TIMEOUT_MS = 15_000;
const RETRY_MS = 100;
const STOPPING = 'stopping';

export interface DataDirClaim {
  /** says that this process is on its way out: whoever starts now may wait for it */
  stopping(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Refuses a second start on the same data: two systems on one database would each think they are alone. One
 * that is just stopping is waited for, so that a restart needs no pause.
 */
export async function claimDataDir(dir: string): Promise<DataDirClaim> {
  await mkdir(dir, { recursive: true });
  const path = join(dir, 'postmesh.pid');
  await waitForOther(path, dir);
  await writeFile(path, String(process.pid));
  return {
    stopping: () => writeFile(path, `${process.pid} ${STOPPING}`),
    release: () => rm(path, { force: true }),
  };
}

async function waitForOther(path: string, dir: string): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  for (;;) {
    const [pid, state] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
    const other = Number(pid);
    if (!Number.isInteger(other) || other <= 0 || other === process.pid || !isAlive(other)) return;
    if (state !== STOPPING || Date.now() > deadline) {
      throw new Error(`another Postmesh (process ${other}) already runs on ${dir}`);
    }
    await pause(RETRY_MS);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Written whole or not at all, readable by its owner only, and on disk when this resolves. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
