import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { HandZones, type HandZone } from './hand-zones.js';
import { PublishedRecord } from './published-zone.js';

const ZonesFile = z.array(z.object({ name: z.string(), records: z.array(PublishedRecord) }));

/** @param path of the file that carries zones over a restart; undefined = in memory only */
export async function openHandZones(path: string | undefined): Promise<HandZones> {
  if (path === undefined) return new HandZones();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let last: Promise<void> = Promise.resolve();
  const zones = new HandZones((all) => {
    // One write after the other, or an older list could come last.
    last = last.catch(() => {}).then(() => write(path, all));
    return last;
  });
  for (const zone of await read(path)) zones.restore(zone);
  return zones;
}

async function read(path: string): Promise<HandZone[]> {
  try {
    return ZonesFile.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Error(`${path} cannot be read: remove it to start without hand-published zones`, {
      cause: error,
    });
  }
}

async function write(path: string, zones: readonly HandZone[]): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(zones), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
