import { promisify } from 'node:util';
import { gunzip, inflateRaw } from 'node:zlib';
import { BadArchive, zipEntries } from './zip.rules.js';

/** The size of an attachment as it was sent: the largest real reports have a tenth of it. */
export const MAX_PACKED_BYTES = 4 * 1024 * 1024;
/** About 20,000 records. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;
/** Reports are repetitive: real ones shrink to a fiftieth. */
const MAX_RATIO = 250;
/** Up to here the ratio says nothing. */
const FREE_BYTES = 256 * 1024;

const GZIP = 0x8b1f;
const ZIP = 0x4b50;

/** A report that is not read: too large, or broken. The message says which. */
export class UnreadableReport extends Error {
  override readonly name = 'UnreadableReport';
}

const inflate = { gzip: promisify(gunzip), deflated: promisify(inflateRaw) };

/**
 * The text of a report, packed by gzip, by zip (its one file), or not at all: by its first bytes, because types and names of
 * attachments are wrong often. One level: an archive in an archive is no report.
 * @throws UnreadableReport
 */
export async function unpackReport(given: Buffer): Promise<Buffer> {
  if (given.length > MAX_PACKED_BYTES) throw new UnreadableReport('too many bytes');
  const magic = given.length < 2 ? 0 : given.readUInt16LE(0);
  if (magic === GZIP) return unpack('gzip', given);
  return magic === ZIP ? unzip(given) : given;
}

async function unzip(archive: Buffer): Promise<Buffer> {
  try {
    const [only, ...more] = zipEntries(archive).filter(({ name }) => /\.(?:xml|json)$/i.test(name));
    if (only === undefined || more.length > 0)
      throw new UnreadableReport('an archive without its one report');
    return only.method === 'stored' ? only.bytes : await unpack('deflated', only.bytes);
  } catch (error) {
    if (error instanceof BadArchive || error instanceof RangeError)
      throw new UnreadableReport(error instanceof BadArchive ? error.message : 'a broken archive');
    throw error;
  }
}

async function unpack(way: keyof typeof inflate, bytes: Buffer): Promise<Buffer> {
  const maxOutputLength = Math.min(MAX_UNPACKED_BYTES, Math.max(FREE_BYTES, bytes.length * MAX_RATIO));
  try {
    return await inflate[way](bytes, { maxOutputLength });
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new UnreadableReport(isLarge ? 'too large when unpacked' : 'broken compression', { cause: error });
  }
}
