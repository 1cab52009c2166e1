import { isAscii, isUtf8 } from 'node:buffer';
import { type RawField, splitHeaders } from '../dkim/canonicalization.js';
import { fieldProblem, formatDate, writeField } from '../headers/header-field.js';
import { fieldKind } from '../headers/header-fields.table.js';
import type { Message } from '../message/message.js';
import { encodeBase64Lines, encodeQuotedPrintable } from '../mime/encodings.js';
import { decodeTransfer } from '../read/transfer-encodings.js';
import { type Entity, type Leaf, type Range, walkEntities } from './entities.js';
import { fieldBytes, fieldValue, type RawMessage } from './raw-message.js';

type Recoded =
  | {
      readonly ok: true;
      readonly message: { readonly fields: readonly RawField[]; readonly body: readonly Buffer[] };
    }
  | { readonly ok: false; readonly problem: string };

interface RecodeOptions {
  /** the client used SMTPUTF8: header fields may be in UTF-8 (RFC 6532) */
  readonly smtpUtf8: boolean;
}

/** The message cannot be written in a form that every server takes. */
class CannotRecode extends Error {}

// RFC 5321 §4.5.3.1.6, RFC 5322 §2.1.1
const MAX_LINE = 998;
const LF = 0x0a;
const TOO_LONG = `a line is longer than ${MAX_LINE} characters`;

/**
 * Repairs the parts of a client's message that a server may reject (spec 2-messages §13 rule 5): lines of more than 998
 * octets, bytes beyond ASCII in headers without SMTPUTF8, invalid dates and address lists. Everything else stays as it
 * is, byte for byte; nearly every message does as a whole.
 * @returns the problem of one whose meaning would change: it is signed or encrypted, or cannot be read
 */
export function recodeMessage({ fields, body }: RawMessage, options: RecodeOptions): Recoded {
  try {
    const mended = fields.flatMap((field) => mendField(field, options));
    const hasOddHeaders = !options.smtpUtf8 && !isAscii(body);
    if (!hasOddHeaders && !hasLongLine(body)) return { ok: true, message: { fields: mended, body: [body] } };
    return { ok: true, message: recodeEntities(mended, body, options) };
  } catch (error) {
    if (error instanceof CannotRecode) return { ok: false, problem: error.message };
    throw error;
  }
}

/** @returns none when the message is better without it */
function mendField(field: RawField, options: RecodeOptions): RawField[] {
  const { smtpUtf8 } = options;
  const value = fieldValue(field);
  const name = nameOf(field);
  const kind = fieldKind(name);
  const isStrict = kind === 'date' || kind === 'addresses';
  const problem = isStrict ? fieldProblem({ name, value }, { smtpUtf8 }) : undefined;
  if (problem === undefined) return [fitField(field, options)];
  if (kind === 'date') {
    const date = readDate(value);
    return date ? [rawField(name, formatDate(date))] : [];
  }
  // with SMTPUTF8 it would be a list: without it the intended address is unclear
  if (fieldProblem({ name, value }, { smtpUtf8: true }) === undefined) throw unwritable(name, problem);
  // the separator of some mail programs
  const listed = { name, value: value.replaceAll(';', ',') };
  if (fieldProblem(listed, { smtpUtf8 }) === undefined) return [rawField(name, listed.value, smtpUtf8)];
  const group = isRecipients(field) ? asEmptyGroup(name, value) : undefined;
  return group ? [group] : [];
}

const isRecipients = ({ name }: RawField): boolean => name === 'to' || name === 'cc';

/** Keeps the text readable, as the name of a group without members (RFC 5322 §3.4). */
function asEmptyGroup(name: string, value: string): RawField | undefined {
  const text = value.replace(/[^\p{L}\p{N}\p{M}.@_-]+/gu, ' ').trim();
  if (text === '') return undefined;
  return rawField(name, `${/^[\x20-\x7e]*$/.test(text) ? `"${text}"` : text}:;`);
}

/** A field that may stay: rewritten where a line is too long or its bytes need SMTPUTF8 that is missing. */
function fitField(field: RawField, { smtpUtf8 }: RecodeOptions): RawField {
  const bytes = Buffer.from(field.text, 'latin1');
  const isPlain = smtpUtf8 ? isUtf8(bytes) : isAscii(bytes);
  if (isPlain && !hasLongLine(bytes)) return field;
  const name = nameOf(field);
  // a trace field: the name that a machine gives itself
  const value =
    field.name === 'received' ? fieldValue(field).replace(/[^\t\x20-\x7e]/gu, '?') : fieldValue(field);
  const problem = fieldProblem({ name, value }, { smtpUtf8 });
  if (problem !== undefined) throw unwritable(name, problem);
  return rawField(name, value, smtpUtf8);
}

const rawField = (name: string, value: string, smtpUtf8 = false): RawField => ({
  name: name.toLowerCase(),
  text: Buffer.from(writeField({ name, value }, { smtpUtf8 })).toString('latin1'),
});

const unwritable = (name: string, problem: string): CannotRecode =>
  new CannotRecode(`its header '${name}' ${problem}`);

// Forms that programs write instead of that of RFC 5322; a date without a zone has no exact time.
const WITH_ZONE = /\d{4}.*\d:\d\d.*(?:Z|[+-]\d\d:?\d\d|GMT|UTC?|[ECMP][SD]T)(?: *\([^()]*\))?$/;

function readDate(value: string): Date | undefined {
  const time = value.length <= 100 && WITH_ZONE.test(value) ? Date.parse(value) : NaN;
  const year = new Date(time).getUTCFullYear();
  return year >= 1970 && year <= 9999 ? new Date(time) : undefined;
}

/**
 * The same message for a server without SMTPUTF8: texts and names as encoded words, addresses beyond ASCII in To and Cc as the
 * names of empty groups.
 * @returns undefined when it has an address beyond ASCII where it must be one
 */
export function withAsciiHeaders(message: Message): Message | undefined {
  const fields: RawField[] = [];
  for (const field of splitHeaders(message.headers)) {
    const { name, value } = { name: nameOf(field), value: fieldValue(field) };
    const options = { downgrade: isRecipients(field) };
    if (isAscii(Buffer.from(field.text, 'latin1'))) fields.push(field);
    else if (fieldProblem({ name, value }, options) !== undefined) return undefined;
    else fields.push({ name: field.name, text: writeField({ name, value }, options) });
  }
  const headers = fieldBytes(fields);
  const size = message.size - message.headers.length + headers.length;
  return { ...message, headers, size, smtpUtf8: false };
}

const nameOf = ({ text }: RawField): string => text.slice(0, text.indexOf(':'));

interface Change {
  /** in the body of the message */
  readonly at: Range;
  readonly bytes: Buffer;
}

/** Part by part: headers, and bodies with a line that is too long. */
function recodeEntities(
  fields: readonly RawField[],
  body: Buffer,
  options: RecodeOptions,
): { fields: readonly RawField[]; body: Buffer[] } {
  const changes: Change[] = [];
  let ownFields = fields;
  walkEntities(fields, body, (entity, leaf) => {
    const recoded = leaf && recodeBody(leaf, body);
    const headers = fitHeaders(entity, recoded?.encoding, options);
    if (entity.headersAt === undefined) ownFields = headers;
    else if (headers !== entity.headers) changes.push({ at: entity.headersAt, bytes: fieldBytes(headers) });
    if (recoded) changes.push({ at: entity.bodyAt, bytes: recoded.bytes });
  });
  const recoded = withChanges(body, changes);
  if (hasLongLine(recoded)) throw new CannotRecode(TOO_LONG);
  return { fields: ownFields, body: [recoded] };
}

function withChanges(body: Buffer, changes: readonly Change[]): Buffer {
  if (changes.length === 0) return body;
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { at, bytes } of changes) {
    pieces.push(body.subarray(from, at.from), bytes);
    from = at.to;
  }
  return Buffer.concat([...pieces, body.subarray(from)]);
}

/** @returns the same list when nothing had to change */
function fitHeaders(
  { headers, headersAt }: Entity,
  encoding: string | undefined,
  options: RecodeOptions,
): readonly RawField[] {
  const isOwn = headersAt === undefined;
  const fitted = isOwn ? headers : headers.map((field) => fitField(field, options));
  const changed = fitted.some((field, nth) => field !== headers[nth]);
  if (encoding === undefined) return changed ? fitted : headers;
  const coded = rawField('Content-Transfer-Encoding', encoding);
  const needsVersion = isOwn && !fitted.some(({ name }) => name === 'mime-version');
  return [
    ...fitted.filter(({ name }) => name !== coded.name),
    ...(needsVersion ? [rawField('MIME-Version', '1.0')] : []),
    coded,
  ];
}

/** @returns undefined when its lines are short enough @throws CannotRecode */
function recodeBody(leaf: Leaf, body: Buffer): { encoding: string; bytes: Buffer } | undefined {
  const bytes = body.subarray(leaf.bodyAt.from, leaf.bodyAt.to);
  if (!hasLongLine(bytes)) return undefined;
  // enclosed messages and signed parts must stay as they are (RFC 2046 §5.2.1, RFC 1847)
  if (leaf.isSealed || leaf.encoding === undefined || /^(?:message|multipart)\//.test(leaf.type)) {
    throw new CannotRecode(TOO_LONG);
  }
  const plain = decodeTransfer(bytes, leaf.encoding, bytes.length);
  const isBase64 = leaf.encoding === 'base64' || (leaf.encoding === '' && !leaf.type.startsWith('text/'));
  const coded = isBase64 ? withoutLastBreak(encodeBase64Lines(plain)) : encodeQuotedPrintable(plain);
  return { encoding: isBase64 ? 'base64' : 'quoted-printable', bytes: coded };
}

/** The last line break belongs to the delimiter that follows. */
const withoutLastBreak = (bytes: Buffer): Buffer =>
  bytes.subarray(-2).toString('latin1') === '\r\n' ? bytes.subarray(0, -2) : bytes;

/** Whether a line has more than 998 octets. It reads one or two bytes of a line. */
export function hasLongLine(bytes: Buffer): boolean {
  let from = 0;
  while (bytes.length - from > MAX_LINE) {
    // the CR is none of the octets of a line
    const end = bytes.subarray(from, from + MAX_LINE + 2).lastIndexOf(LF);
    if (end < 0) return true;
    from += end + 1;
  }
  return false;
}
