import { Readable } from 'node:stream';
import MimeNode from 'nodemailer/lib/mime-node';
import { attachmentForm } from './attachment.rules.js';
import type { Attachment } from './attachment.rules.js';
import type { MimePart } from './mime-part.js';

// A piece of whole base64 lines (57 bytes each): the encoder gives the event loop a turn between pieces.
const PIECE = 57 * 2048;

/**
 * One attachment as nodemailer writes it: file name by RFC 2231 with the older forms that mail programs
 * still read, base64 in pieces.
 */
export async function attachmentPart(attachment: Attachment): Promise<MimePart> {
  const form = attachmentForm(attachment);
  // A root node would write Date and Message-ID; a child writes the headers of a part only.
  const root = new MimeNode('multipart/mixed', { disableFileAccess: true, disableUrlAccess: true });
  const node = root.createChild(form.contentType, { filename: attachment.fileName });
  node.setHeader('Content-Transfer-Encoding', form.encoding);
  node.setHeader('Content-Disposition', attachment.disposition);
  if (attachment.contentId !== undefined) node.setHeader('Content-ID', attachment.contentId);
  const headers = `${node.buildHeaders()}\r\n`;
  if (form.encoding === '7bit' && attachment.content instanceof Uint8Array) {
    return { headers, body: [asBuffer(attachment.content)] };
  }
  node.setContent(inPieces(attachment.content));
  const written = await node.build();
  return { headers, body: [written.subarray(written.indexOf('\r\n\r\n') + 4)] };
}

function inPieces(content: Uint8Array | Readable): Buffer | Readable {
  if (content instanceof Readable) return content;
  const bytes = asBuffer(content);
  return bytes.length <= PIECE ? bytes : Readable.from(pieces(bytes), { objectMode: false });
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE);
}

function asBuffer(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
