import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning, processStart } from '@postmesh/concurrency';

// A stop takes at most ten seconds.
const STOP_TIMEOUT_MS = 15_000;
const RETRY_MS = 100;
const STOPPING = 'stopping';
const FILE = 'postmesh.pid';
// unix(7): 107 bytes on Linux, 103 elsewhere
const MAX_SOCKET_PATH = 103;

export interface DataDirClaim {
  /** marks this process as stopping, so that a new start waits for its end */
  stopping(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Refuses a second start on the same data: each of two systems on one database would act as the only one. A start waits
 * for a process that is stopping, so that a restart needs no pause.
 *
 * The file names its process by number and start time, because numbers are reused, and its claim by an id of its own.
 * The claim of a dead process has at most one successor: the start that creates the file `postmesh.pid.after-<id>`. So
 * exactly one of several simultaneous starts wins, in any order of their reads.
 *
 * Another container has process numbers of its own. So a claim also listens on a socket in the directory, and a claim
 * whose socket accepts connections is held: the kernel accepts as long as the process lives, and no longer.
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
        // the draft of a failed write, as on a full disk
        await rm(draft, { force: true });
      }
    },
    async release() {
      if ((await ownerIn(join(dir, FILE)))?.id === own.id) await rm(join(dir, FILE), { force: true });
      await closeSocket();
    },
  };
}

/** The process that holds a data directory. */
interface Owner {
  readonly pid: number;
  /** '' when it is unknown */
  readonly started: string;
  readonly id: string;
  readonly state?: string | undefined;
}

const textOf = ({ pid, started, id }: Owner): string => `${pid} ${started || '-'} ${id}`;

/** A file of an earlier release has only the number, and the word for stopping. */
async function ownerIn(path: string): Promise<Owner | undefined> {
  const text = await readFile(path, 'utf8').catch(ignoreMissing);
  if (text === undefined) return undefined;
  const words = text.trim().split(' ');
  const [pid = '', started = '-', id = `of-${pid}`] = words.filter((word) => word !== STOPPING);
  const state = words.includes(STOPPING) ? STOPPING : undefined;
  return { pid: Number(pid), started: started === '-' ? '' : started, id, state };
}

/** @returns false when another process was faster: try again */
async function tryClaim(dir: string, draft: string, deadline: number): Promise<boolean> {
  const path = join(dir, FILE);
  const first = await ownerIn(path);
  if (first === undefined) return tryLink(draft, path);
  const last = await lastSuccessor(path, first);
  const place = await placeOf(dir, last);
  if (place !== undefined) {
    // a successor either gets the file in a moment, or finds that another claim won, and yields
    const isOnItsWay = last !== first || last.state === STOPPING;
    if (isOnItsWay && performance.now() < deadline) return false;
    throw new Error(`another Postmesh (${place}) already runs on ${dir}`);
  }
  if (!(await tryLink(draft, after(path, last)))) return false;
  // a process that read the file long ago finds that the claim has passed to another
  const isStill = (await ownerIn(path))?.id === first.id;
  if (isStill) await rename(draft, path);
  else await rm(after(path, last), { force: true });
  if (isStill) await removeSuccessors(dir);
  if (isStill) await rm(socketOf(dir, last), { force: true });
  return isStill;
}

const after = (path: string, { id }: Owner): string => `${path}.after-${id}`;

/** Follows the successors of starts that won the claim and died before they wrote the file. */
async function lastSuccessor(path: string, owner: Owner): Promise<Owner> {
  const next = await ownerIn(after(path, owner));
  return next === undefined ? owner : lastSuccessor(path, next);
}

async function removeSuccessors(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (name.startsWith(`${FILE}.after-`)) await rm(join(dir, name), { force: true });
  }
}

/** Creates the file whole. @returns false when another process has created it */
async function tryLink(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** @returns a description of the owner's place; undefined when its process has ended */
async function placeOf(dir: string, owner: Owner): Promise<string | undefined> {
  // an earlier release did not record the start time
  const isItself = owner.started === '' && owner.pid === process.pid;
  if (!isItself && (await isRunning(owner))) return `process ${owner.pid}`;
  return (await answers(socketOf(dir, owner))) ? 'in another container' : undefined;
}

const socketOf = (dir: string, { id }: Owner): string => join(dir, `${FILE}.${id.slice(0, 8)}.sock`);

/** @returns closes the socket; without effect where the file system has no sockets or the path is too long for one */
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
    // EAGAIN: the backlog of the socket is full, so the process lives
    socket
      .once('connect', () => end(true))
      .once('error', (error: NodeJS.ErrnoException) => end(error.code === 'EAGAIN'));
  });

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}

/** Writes the file whole or not at all, readable by its owner only. It is on disk when this resolves. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
