import type { Readable } from 'node:stream';
import { plainFileName } from './file-name.rules.js';

/** An attachment as `POST …/messages` takes it (spec 2-messages §5.3). */
export interface AttachmentInput {
  readonly data: string;
  readonly base64?: boolean | undefined;
  readonly content_type: string;
  readonly file_name: string;
  readonly content_disposition?: string | undefined;
  readonly content_id?: string | undefined;
}

/** An attachment in the form of a message. */
export interface Attachment {
  readonly fileName: string;
  /** MIME type with its parameters */
  readonly contentType: string;
  readonly disposition: 'attachment' | 'inline';
  /** with its angle brackets; always a valid one */
  readonly contentId?: string | undefined;
  /** decoded bytes; a stream is read once */
  readonly content: Uint8Array | Readable;
  /** decoded length in bytes; needed for sizes when the content is a stream */
  readonly size?: number | undefined;
}

export type ReadAttachment =
  { readonly ok: true; readonly attachment: Attachment } | { readonly ok: false; readonly message: string };

// RFC 2045 §5.1, parameters as tokens or quoted strings of printable ASCII.
const TOKEN = "[!#$%&'*+\\-.0-9A-Z^_`a-z{|}~]+";
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*"))*[ \\t]*;?[ \\t]*$`,
);
// `<…>` around a msg-id (RFC 2392): without the brackets the file is a normal attachment, no error.
const CONTENT_ID = /^<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>$/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Reads one attachment of a request. The message of an error is the text of a 400. */
export function readAttachment(input: AttachmentInput): ReadAttachment {
  const { content_type: contentType } = input;
  if (CONTROL.test(input.file_name)) return refused('file_name must not contain control characters');
  const fileName = plainFileName(input.file_name);
  if (fileName === '' || fileName.length > 255) return refused('file_name must be 1 to 255 characters');
  if (contentType.length > 500 || !MEDIA_TYPE.test(contentType))
    return refused('content_type is not a MIME type');
  const content = input.base64 === true ? decodeBase64(input.data) : Buffer.from(input.data, 'utf8');
  if (content === undefined) return refused('data is not valid base64');
  const contentId = validContentId(input.content_id);
  return {
    ok: true,
    attachment: {
      fileName,
      contentType,
      disposition: readDisposition(input.content_disposition, contentId),
      contentId,
      content,
      size: content.length,
    },
  };
}

/** @returns the id when it is valid in a message, else undefined */
function validContentId(contentId: string | undefined): string | undefined {
  return contentId !== undefined && CONTENT_ID.test(contentId) ? contentId : undefined;
}

/** Well-known clients write `""` into every attachment, others a whole header value: neither is an error. */
function readDisposition(
  given: string | undefined,
  contentId: string | undefined,
): Attachment['disposition'] {
  const type = given?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === '') return contentId === undefined ? 'attachment' : 'inline';
  return type === 'inline' ? 'inline' : 'attachment';
}

/** Standard base64, line breaks allowed, padding optional; undefined for anything else. */
function decodeBase64(text: string): Buffer | undefined {
  return decodeCompact(text) ?? (/\s/.test(text) ? decodeCompact(text.replace(/\s+/g, '')) : undefined);
}

// A multiple of 4: a piece ends where a group of four characters does.
const PIECE_CHARACTERS = 1024 * 1024;

/**
 * Base64 in one piece. Node's decoder skips unknown characters, so that its result is too short then: this check is
 * thirty times as fast as a pattern. Beyond standard base64 it accepts the two characters of base64url and, by their
 * lower byte, characters beyond ASCII: these are refused here.
 */
function decodeCompact(text: string): Buffer | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const symbols = text.length - padding;
  if (symbols % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return undefined;
  if (Buffer.byteLength(text) !== text.length || text.includes('-') || text.includes('_')) return undefined;
  const bytes = Buffer.allocUnsafe(Math.floor((symbols * 3) / 4));
  let filled = 0;
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    filled += bytes.write(text.slice(at, at + PIECE_CHARACTERS), filled, 'base64');
  }
  return filled === bytes.length ? bytes : undefined;
}

function refused(message: string): ReadAttachment {
  return { ok: false, message };
}

/** The transfer encoding of an attachment's bytes. */
type AttachmentEncoding = 'base64' | '7bit';

interface AttachmentForm {
  readonly contentType: string;
  readonly encoding: AttachmentEncoding;
}

/**
 * RFC 2045 §6.4, RFC 2046 §5.2.1: multipart and message types must not be base64. An enclosed message that is
 * plain ASCII is written as it is; any other content of such a type becomes application/octet-stream, bytes unchanged.
 */
export function attachmentForm(attachment: Attachment): AttachmentForm {
  const type = attachment.contentType.trim();
  if (!/^(?:multipart|message)\//i.test(type)) return { contentType: type, encoding: 'base64' };
  if (
    /^message\//i.test(type) &&
    attachment.content instanceof Uint8Array &&
    isSevenBit(attachment.content)
  ) {
    return { contentType: type, encoding: '7bit' };
  }
  return { contentType: 'application/octet-stream', encoding: 'base64' };
}

function isSevenBit(content: Uint8Array): boolean {
  let column = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] ?? 0;
    if (byte === 0x0d) {
      if (content[at + 1] !== 0x0a) return false;
    } else if (byte === 0x0a) {
      if (content[at - 1] !== 0x0d) return false;
      column = -1;
    } else if (byte === 0 || byte > 0x7e) {
      return false;
    }
    if (++column > 998) return false;
  }
  return true;
}
