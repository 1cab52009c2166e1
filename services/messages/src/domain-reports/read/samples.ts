import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';

/**
 * A file of `samples`: reports after the examples of RFC 6591, 8460 and 9990, and in the forms of RFC 7489 and 9991; in
 * `receivers` those of `receivers.table.ts` and `tls-receivers.table.ts`.
 */
export const sample = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'samples', name));

/** A mail with one attachment, as writers of reports send it. */
export const mailWith = (
  attachment: Buffer,
  type: string,
  { from = 'noreply@mail.test', fileName = 'report' }: { from?: string; fileName?: string } = {},
): Buffer =>
  Buffer.from(
    [
      `From: Reports <${from}>`,
      'To: reports@rp.svc.test',
      'Subject: Report Domain: shop.test Submitter: mail.test Report-ID: <1>',
      'Message-ID: <1@mail.test>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'A report is attached.',
      '--b',
      `Content-Type: ${type}; name="${fileName}"`,
      'Content-Transfer-Encoding: base64',
      '',
      attachment.toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
      '--b--',
      '',
    ].join('\r\n'),
  );

interface ZipOptions {
  name?: string;
  method?: number;
  flags?: number;
}

/** An archive with these files, written as APPNOTE 4.3 has it. */
export function zipOf(
  files: readonly Buffer[],
  { name = 'report.xml', method = 8, flags = 0 }: ZipOptions = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const file of files) {
    const packed = method === 8 ? deflateRawSync(file) : file;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(file.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, end, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06'), end]);
}

export const gzipOf = (file: Buffer): Buffer => gzipSync(file);
