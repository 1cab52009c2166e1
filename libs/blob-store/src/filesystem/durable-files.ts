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

/** A new name, a removed name: both are in the folder, and only its fsync makes them last. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Writes a file that is there whole or not at all. Its name is durable once its folder is synced, which is
 * left to the caller, who may have put many files into it.
 * @param incoming a folder on the same file system for files that are not finished
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

/** Removes what died writers left. */
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
