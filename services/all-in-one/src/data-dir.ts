import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning, processStart } from '@postmesh/concurrency';

// A stop takes ten seconds at most.
const STOP_TIMEOUT_MS = 15_000;
const RETRY_MS = 100;
const STOPPING = 'stopping';
const FILE = 'postmesh.pid';
// unix(7): 107 bytes on Linux, 103 elsewhere
const MAX_SOCKET_PATH = 103;

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
 *
 * In another container numbers of processes are others. So whoever claims listens on a socket in the directory as well, and
 * a claim whose socket answers is not free: the kernel answers for as long as the process lives, and for no longer.
 * @throws Error when another process holds it
 */
export async function claimDataDir(dir: string): Promise<DataDirClaim> {
  await mkdir(dir, { recursive: true });
  const own: Owner = { pid: process.pid, started: await processStart(process.pid), id: randomUUID() };
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  const draft = join(dir, `${FILE}.new-${own.id}`);
  const closeSocket = await listenFor(dir, own);
  try {
    await writeFile(draft, textOf(own));
    while (!(await tryClaim(dir, draft, deadline))) await pause(RETRY_MS * Math.random());
  } catch (error) {
    await closeSocket();
    throw error;
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
      await closeSocket();
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
  const place = await placeOf(dir, last);
  if (place !== undefined) {
    // a successor either has the file in a moment, or finds that the claim has passed on, and gives way
    const isOnItsWay = last !== first || last.state === STOPPING;
    if (isOnItsWay && performance.now() < deadline) return false;
    throw new Error(`another Postmesh (${place}) already runs on ${dir}`);
  }
  if (!(await tryLink(draft, after(path, last)))) return false;
  // who looked long ago finds that the claim has passed on meanwhile
  const isStill = (await ownerIn(path))?.id === first.id;
  if (isStill) await rename(draft, path);
  else await rm(after(path, last), { force: true });
  if (isStill) await removeSuccessors(dir);
  if (isStill) await rm(socketOf(dir, last), { force: true });
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

/** @returns where the owner lives, in words; undefined when it does not */
async function placeOf(dir: string, owner: Owner): Promise<string | undefined> {
  // a release before did not say when it began
  const isItself = owner.started === '' && owner.pid === process.pid;
  if (!isItself && (await isRunning(owner))) return `process ${owner.pid}`;
  return (await answers(socketOf(dir, owner))) ? 'in another container' : undefined;
}

const socketOf = (dir: string, { id }: Owner): string => join(dir, `${FILE}.${id.slice(0, 8)}.sock`);

/** @returns what closes the socket; where the file system has no sockets, or the path is too long for one, there is none */
async function listenFor(dir: string, owner: Owner): Promise<() => Promise<void>> {
  const path = socketOf(dir, owner);
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) return async () => undefined;
  const server = createServer((socket) => socket.destroy());
  const isOpen = await new Promise<boolean>((resolve) => {
    server.on('error', () => resolve(false)).listen(path, () => resolve(true));
  });
  server.unref();
  return async () => {
    if (!isOpen) return;
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await rm(path, { force: true });
  };
}

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    // EAGAIN: so many ask that the kernel has no room for them
    socket
      .once('connect', () => end(true))
      .once('error', (error: NodeJS.ErrnoException) => end(error.code === 'EAGAIN'));
  });

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
