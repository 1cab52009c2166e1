import type { DataSource } from 'typeorm';
import { BlobMissing } from '../blob-store.port.js';

// The driver receives bytes as hexadecimal text, so a slice is held about three times while it arrives.
const SLICE_BYTES = 512 * 1024;

/** Reads one content slice by slice. @throws BlobMissing, also when it is deleted on the way */
export async function* slicesOf(database: DataSource, id: string): AsyncGenerator<Buffer> {
  for (let start = 1, size = Infinity; start <= size; start += SLICE_BYTES) {
    const rows = await database.query<{ size: number; slice: Buffer }[]>(
      'select octet_length(bytes) as size, substring(bytes from $2 for $3) as slice from content where id = $1',
      [id, start, SLICE_BYTES],
    );
    const [row] = rows;
    if (row === undefined) throw new BlobMissing(id);
    size = row.size;
    if (row.slice.length > 0) yield row.slice;
  }
}

/** The same in one buffer, which is the only copy of the whole. @returns undefined when it is missing */
export async function wholeOf(database: DataSource, id: string, size: number): Promise<Buffer | undefined> {
  const whole = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  try {
    for await (const slice of slicesOf(database, id)) filled += slice.copy(whole, filled);
  } catch (error) {
    if (error instanceof BlobMissing) return undefined;
    throw error;
  }
  return whole;
}
