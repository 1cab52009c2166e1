/** One file of a zip archive, still compressed. */
export interface ZipEntry {
  readonly name: string;
  readonly method: 'stored' | 'deflated';
  readonly bytes: Buffer;
}

/** Reasons for which an archive is not read. */
export class BadArchive extends Error {
  override readonly name = 'BadArchive';
}

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
/** of the comment behind the directory */
const MAX_COMMENT_BYTES = 65_535;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;
/** A report is one file; some writers add a folder or a note. */
const MAX_ENTRIES = 10;

/**
 * The files of a zip archive by its central directory (APPNOTE 4.3.12, 4.3.16), without ZIP64: that begins at 4 GiB.
 * Sizes of decompressed data are not taken from it: they may lie.
 * @throws BadArchive
 */
export function zipEntries(archive: Buffer): ZipEntry[] {
  const end = endOfDirectory(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw new BadArchive(`an archive of ${count} files`);
  const entries: ZipEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let nth = 0; nth < count; nth += 1) {
    if (at + CENTRAL_BYTES > archive.length || archive.readUInt32LE(at) !== CENTRAL_HEADER)
      throw new BadArchive('an archive with a broken directory');
    const nameBytes = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes);
    if (!name.endsWith('/')) entries.push(entryAt(archive, at, name));
    at += CENTRAL_BYTES + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

function endOfDirectory(archive: Buffer): number {
  const from = Math.max(0, archive.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = archive.length - END_BYTES; at >= from; at -= 1) {
    if (archive.readUInt32LE(at) === END) return at;
  }
  throw new BadArchive('an archive without a directory');
}

function entryAt(archive: Buffer, at: number, name: string): ZipEntry {
  if ((archive.readUInt16LE(at + 8) & ENCRYPTED) !== 0) throw new BadArchive('an encrypted archive');
  const method = archive.readUInt16LE(at + 10);
  const size = archive.readUInt32LE(at + 20);
  const local = archive.readUInt32LE(at + 42);
  if (local + LOCAL_BYTES > archive.length || archive.readUInt32LE(local) !== LOCAL_HEADER)
    throw new BadArchive('an archive with a broken entry');
  const from = local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  if (from + size > archive.length) throw new BadArchive('an archive that ends too early');
  if (method !== 0 && method !== 8) throw new BadArchive(`an archive with compression ${method}`);
  return { name, method: method === 0 ? 'stored' : 'deflated', bytes: archive.subarray(from, from + size) };
}
