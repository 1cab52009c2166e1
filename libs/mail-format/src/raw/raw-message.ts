import { type RawField, splitHeaders } from '../dkim/canonicalization.js';
import { isFieldName } from '../headers/header-field.js';
import { hasLoneLineEnds } from '../mime/encodings.js';
import { decodeCharset } from '../read/charsets.js';
import { decodeWords } from '../read/encoded-words.js';

/** A message that a client composed, parsed as far as its headers. */
export interface RawMessage {
  /** in order, from the top */
  readonly fields: readonly RawField[];
  /** a view of the message, behind the empty line */
  readonly body: Buffer;
}

type ReadRawMessage =
  { readonly ok: true; readonly message: RawMessage } | { readonly ok: false; readonly problem: string };

// Mail programs write some kilobytes; a mailing list adds as much again. The parsers of receivers have such limits, too.
const MAX_HEADER_BYTES = 256 * 1024;
const CRLF = Buffer.from('\r\n', 'latin1');

/**
 * Reads the headers of a message (RFC 5322 §2.2) more strictly than mail programs do: where two parsers could see
 * different fields, there is a problem. Lines that fold to nothing are left out, since some parsers take them for the
 * end of the headers.
 */
export function readRawMessage(raw: Buffer): ReadRawMessage {
  if (hasLoneLineEnds(raw)) return { ok: false, problem: 'a line does not end in CRLF' };
  if (raw.includes(0)) return { ok: false, problem: 'it has a NUL' };
  const end = raw.subarray(0, 2).equals(CRLF) ? 0 : raw.indexOf('\r\n\r\n', 0, 'latin1') + 2;
  const hasBody = end !== 1;
  if ((hasBody ? end : raw.length) > MAX_HEADER_BYTES)
    return { ok: false, problem: 'its headers are too long' };
  const head = hasBody ? raw.subarray(0, end) : raw;
  if (head[0] === 0x20 || head[0] === 0x09)
    return { ok: false, problem: 'it begins in the middle of a header' };
  const fields = splitHeaders(head).map(({ name, text }) => ({ name, text: text.replace(EMPTY_FOLDS, '') }));
  const odd = fields.find(({ text }) => !isFieldName(text.slice(0, Math.max(text.indexOf(':'), 0))));
  if (odd) return { ok: false, problem: 'a line among its headers is no header' };
  return { ok: true, message: { fields, body: hasBody ? raw.subarray(end + 2) : raw.subarray(raw.length) } };
}

const EMPTY_FOLDS = /\r\n[ \t]+(?=\r\n|$)/g;

/** The fields as bytes, each ended by CRLF. */
export const fieldBytes = (fields: readonly RawField[]): Buffer =>
  Buffer.from(fields.map(({ text }) => `${text}\r\n`).join(''), 'latin1');

/** The value of a field: unfolded; bytes beyond ASCII are UTF-8 (RFC 6532) if valid, else windows-1252. */
export function fieldValue({ text }: RawField): string {
  const value = text
    .slice(text.indexOf(':') + 1)
    .replaceAll('\r\n', '')
    .trim();
  return decodeCharset(Buffer.from(value, 'latin1'), '');
}

/** The same for people: encoded words decoded (RFC 2047), in one line. */
export const fieldText = (field: RawField): string =>
  // eslint-disable-next-line no-control-regex
  Buffer.from(
    decodeWords(fieldValue(field))
      .replace(/[\u0000-\u001f\u007f]+/g, ' ')
      .trim(),
  ).toString();

/**
 * The address of a field that names one mailbox, `addr` or `name <addr>` (RFC 5322 §3.4), as it is written.
 * @returns undefined when it names none, several or a group, or when that is ambiguous
 */
export function soleAddress(value: string): string | undefined {
  const bare = withoutComments(value);
  if (bare === undefined) return undefined;
  const masked = bare.replace(QUOTED, (quoted) => 'q'.repeat(quoted.length));
  if (/[,;:"\\()]/.test(masked)) return undefined;
  const open = masked.indexOf('<');
  if (open < 0) return /^\s*[^\s<>]+@[^\s<>@]+\s*$/.test(masked) ? bare.trim() : undefined;
  const rest = masked.slice(open);
  return /^<[^<>]+>\s*$/.test(rest) ? bare.slice(open + 1, bare.indexOf('>', open)).trim() : undefined;
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** @returns undefined when they are not balanced */
function withoutComments(value: string): string | undefined {
  let depth = 0;
  let quoted = false;
  let kept = '';
  for (let at = 0; at < value.length; at++) {
    const character = value.charAt(at);
    const pair = character === '\\' ? value.slice(at, at + 2) : character;
    if (character === '\\') at += 1;
    else if (depth === 0 && character === '"') quoted = !quoted;
    else if (!quoted && character === '(') depth += 1;
    if (depth === 0) kept += pair;
    if (!quoted && character === ')') depth -= 1;
    if (depth < 0) return undefined;
  }
  return depth === 0 && !quoted ? kept : undefined;
}
