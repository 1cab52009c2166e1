import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning, processStart } from '@postmesh/concurrency';

// A stop takes ten seconds at most.
const STOP_TIMEOUT_MS = 15_000;
const RETRY_MS = 100;
const STOPPING = 'stopping';
const FILE = 'postmesh.pid';

export interface DataDirClaim {
  /** says that this process is on its way out: whoever starts now may wait for it */
  stopping(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Refuses a second start on the same data: two systems on one database would each think they are alone. One
 * that is just stopping is waited for, so that a restart needs no pause.
 *
 * The file names its process by number and start time, as numbers come again, and its claim by an id of its own. A claim
 * whose process is dead has one successor at most: who makes the file `postmesh.pid.after-<id>`. So of several starts at
 * the same moment exactly one wins, whenever the others looked.
 * @throws Error when another process holds it
 */
export async function claimDataDir(dir: string): Promise<DataDirClaim> {
  await mkdir(dir, { recursive: true });
  const own: Owner = { pid: process.pid, started: await processStart(process.pid), id: randomUUID() };
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  const draft = join(dir, `${FILE}.new-${own.id}`);
  await writeFile(draft, textOf(own));
  try {
    while (!(await tryClaim(dir, draft, deadline))) await pause(RETRY_MS * Math.random());
  } finally {
    await rm(draft, { force: true });
  }
  return {
    async stopping() {
      try {
        await writeFile(draft, `${textOf(own)} ${STOPPING}`);
        await rename(draft, join(dir, FILE));
      } finally {
        // of a disk that is full
        await rm(draft, { force: true });
      }
    },
    async release() {
      if ((await ownerIn(join(dir, FILE)))?.id === own.id) await rm(join(dir, FILE), { force: true });
    },
  };
}

/** Who holds a data directory. */
interface Owner {
  readonly pid: number;
  /** '' where it cannot be known */
  readonly started: string;
  readonly id: string;
  readonly state?: string | undefined;
}

const textOf = ({ pid, started, id }: Owner): string => `${pid} ${started || '-'} ${id}`;

/** Of a release before, the number alone, and whether it is stopping. */
async function ownerIn(path: string): Promise<Owner | undefined> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing);
  if (text === undefined) return undefined;
  const words = text.trim().split(' ');
  const [pid = '', started = '-', id = `of-${pid}`] = words.filter((word) => word !== STOPPING);
  const state = words.includes(STOPPING) ? STOPPING : undefined;
  return { pid: Number(pid), started: started === '-' ? '' : started, id, state };
}

/** @returns false when somebody else was faster at something: look again */
async function tryClaim(dir: string, draft: string, deadline: number): Promise<boolean> {
  const path = join(dir, FILE);
  const first = await ownerIn(path);
  if (first === undefined) return tryLink(draft, path);
  const last = await lastSuccessor(path, first);
  if (await isAlive(last)) {
    // a successor either has the file in a moment, or finds that the claim has passed on, and gives way
    const isOnItsWay = last !== first || last.state === STOPPING;
    if (isOnItsWay && performance.now() < deadline) return false;
    throw new Error(`another Postmesh (process ${last.pid}) already runs on ${dir}`);
  }
  if (!(await tryLink(draft, after(path, last)))) return false;
  // who looked long ago finds that the claim has passed on meanwhile
  const isStill = (await ownerIn(path))?.id === first.id;
  if (isStill) await rename(draft, path);
  else await rm(after(path, last), { force: true });
  if (isStill) await removeSuccessors(dir);
  return isStill;
}

const after = (path: string, { id }: Owner): string => `${path}.after-${id}`;

/** Who won the claim and died before the file said so was followed by somebody. */
async function lastSuccessor(path: string, owner: Owner): Promise<Owner> {
  const next = await ownerIn(after(path, owner));
  return next === undefined ? owner : lastSuccessor(path, next);
}

async function removeSuccessors(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (name.startsWith(`${FILE}.after-`)) await rm(join(dir, name), { force: true });
  }
}

/** The file appears whole, or is somebody else's. */
async function tryLink(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

function isAlive(owner: Owner): Promise<boolean> {
  // a release before did not say when it began
  if (owner.started === '' && owner.pid === process.pid) return Promise.resolve(false);
  return isRunning(owner);
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
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
