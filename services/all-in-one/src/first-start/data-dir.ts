import { chmod, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Refuses a second start on the same data: two systems on one database would each think they are alone. */
export async function claimDataDir(dir: string): Promise<() => Promise<void>> {
  await mkdir(dir, { recursive: true });
  const path = join(dir, 'postmesh.pid');
  const other = Number(await readFile(path, 'utf8').catch(() => ''));
  if (Number.isInteger(other) && other > 0 && other !== process.pid && isPostmesh(other)) {
    throw new Error(`another Postmesh (process ${other}) already runs on ${dir}`);
  }
  await writeFile(path, String(process.pid));
  return () => rm(path, { force: true });
}

/** The number may have gone to another program since: only a living process that is ours counts. */
function isPostmesh(pid: number): boolean {
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
