import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

// A writer that is older than this has died.
const LEFTOVER_MS = 3_600_000;

/** Makes a folder whose existence survives a power cut. */
export async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  for (let at = path; at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at));
}

/** Makes new and removed names of a folder durable: they are part of the folder, which needs an fsync of its own. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Writes a file completely or not at all. Its name is durable once its folder is synced, which the caller does after
 * the last file of a folder.
 * @param incoming a folder on the same file system for unfinished files
 */
export async function writeWhole(incoming: string, path: string, bytes: Buffer): Promise<void> {
  const draft = join(incoming, randomUUID());
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Removes the unfinished files of dead writers. */
export async function removeLeftovers(incoming: string): Promise<void> {
  for await (const entry of await opendir(incoming)) {
    const path = join(incoming, entry.name);
    // another process may be renaming or removing it at this moment
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > LEFTOVER_MS) await rm(path, { force: true });
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
