import { Permanent } from '@postmesh/contracts';

/** One header field as the client gave it: the name keeps its case. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

// RFC 5322 §2.2: a field name is printable ASCII without the colon.
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]+$/;
// RFC 5322 §2.1.1: no line beyond 998 characters; some room is left for the name of the field.
const MAX_UNFOLDABLE = 900;
// RFC 5322 and RFC 2369 define these as structured: an encoded word inside them would be read as literal text.
const STRUCTURED = new Set([
  'date',
  'in-reply-to',
  'references',
  'message-id',
  'auto-submitted',
  'list-unsubscribe-post',
  'list-unsubscribe',
  'list-subscribe',
  'list-archive',
  'list-owner',
  'list-post',
  'list-help',
  'content-type',
  'content-transfer-encoding',
  'content-disposition',
  'mime-version',
]);

export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name);
}

/** Structured fields carry ASCII only and are never written as encoded words (RFC 2047 §5). */
function isStructured(name: string): boolean {
  return STRUCTURED.has(name.toLowerCase());
}

/**
 * Why a value cannot stand in a header field, or undefined when it can (spec 2-messages §5.2.2).
 * A line break or NUL would split the message; in structured fields no encoded word is allowed.
 */
export function fieldValueProblem(field: HeaderField): string | undefined {
  // eslint-disable-next-line no-control-regex
  if (/[\r\n\u0000]/.test(field.value)) return 'must not contain a line break or NUL';
  if (!isStructured(field.name)) return undefined;
  if (!/^[\t\x20-\x7e]*$/.test(field.value)) return 'must be plain ASCII';
  return longestWord(field.value) > MAX_UNFOLDABLE ? 'has a part that is too long for one line' : undefined;
}

/** @returns the length of the longest run without a blank, where a line could not be folded */
function longestWord(value: string): number {
  if (value.length <= MAX_UNFOLDABLE) return value.length;
  return value.split(/[ \t]+/).reduce((longest, word) => Math.max(longest, word.length), 0);
}

/** The message must not be written: part of its content would break out of its header field. */
export class UnsafeMessage extends Permanent {}

/**
 * Writes one header field, folded, without CRLF at its end. Text beyond ASCII becomes RFC 2047 encoded words.
 * @throws UnsafeMessage when the name or the value could break the header block: the checks at acceptance
 *   give a 400 first, this is the last check
 */
export function writeHeader(field: HeaderField): string {
  if (!isFieldName(field.name)) throw new UnsafeMessage(`invalid header name '${printable(field.name)}'`);
  const problem = fieldValueProblem(field);
  if (problem !== undefined) throw new UnsafeMessage(`header '${field.name}' ${problem}`);
  const value = trimBlanks(field.value);
  if (!needsWords(field.name, value)) return foldHeader(`${field.name}: ${value}`);
  return foldHeader(`${field.name}: ${encodeWords(value, field.name.length + 2)}`);
}

/** Writes free text (a subject): what looks like an encoded word in it is literal text and gets encoded itself. */
export function writeText(name: string, text: string): string {
  if (!text.includes('=?')) return writeHeader({ name, value: text });
  const problem = fieldValueProblem({ name, value: text });
  if (problem !== undefined) throw new UnsafeMessage(`header '${name}' ${problem}`);
  return foldHeader(`${name}: ${encodeWords(trimBlanks(text), name.length + 2)}`);
}

/** Blanks at the edges belong to the syntax of a field, not to its value (RFC 5322 §2.2). */
function trimBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && (value[start] === ' ' || value[start] === '\t')) start++;
  while (end > start && (value[end - 1] === ' ' || value[end - 1] === '\t')) end--;
  return value.slice(start, end);
}

function needsWords(name: string, value: string): boolean {
  if (isStructured(name)) return false;
  return !/^[\t\x20-\x7e]*$/.test(value) || longestWord(value) > MAX_UNFOLDABLE;
}

function printable(name: string): string {
  return name.slice(0, 80).replace(/[^\x20-\x7e]/g, '?');
}

// RFC 5322 §2.1.1: lines should stay within 78 characters.
const MAX_LINE = 78;

/**
 * Folds one header line (`Name: value`, without CRLF at its end) at blanks. Unfolding gives the same text
 * back: CRLF goes before a blank, and never so that a line would hold nothing but blanks.
 * Text that is folded already (it has CRLF) keeps its folds.
 */
export function foldHeader(line: string): string {
  if (line.length <= MAX_LINE) return line;
  return line
    .split('\r\n')
    .map((part) => (part.length <= MAX_LINE ? part : foldPart(part)))
    .join('\r\n');
}

function foldPart(part: string): string {
  const lines: string[] = [];
  let start = 0;
  while (part.length - start > MAX_LINE) {
    const at = foldingPoint(part, start);
    if (at === undefined) break;
    lines.push(part.slice(start, at));
    start = at;
  }
  lines.push(part.slice(start));
  return lines.join('\r\n');
}

/** The last blank within the line that has words on both sides, or else the first such one after it. */
function foldingPoint(part: string, start: number): number | undefined {
  let firstWord = start;
  while (isBlank(part, firstWord)) firstWord++;
  for (let at = start + MAX_LINE; at > firstWord; at--) if (mayFold(part, at)) return at;
  for (let at = start + MAX_LINE + 1; at < part.length; at++) if (mayFold(part, at)) return at;
  return undefined;
}

function mayFold(part: string, at: number): boolean {
  // A run of blanks goes to the next line as a whole: relays strip blanks at the end of a line.
  if (!isBlank(part, at) || isBlank(part, at - 1) || at + 1 >= part.length) return false;
  // The value must not begin on the line after `Name:`: many readers take such a field as empty.
  return part[at - 1] !== ':' || part.indexOf(':') !== at - 1;
}

function isBlank(part: string, at: number): boolean {
  const character = part.charCodeAt(at);
  return character === 0x20 || character === 0x09;
}

// RFC 2047 §2: an encoded word is at most 75 characters; `=?UTF-8?B?` and `?=` take 12 of them.
const MAX_PAYLOAD = 63;
// A word that begins near the end of the line still has to hold one character of four bytes in Q encoding.
const MIN_PAYLOAD = 12;

const Q_SAFE = new Set(
  Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/', 'latin1'),
);

/**
 * Writes a text as RFC 2047 encoded words in UTF-8, separated by `\r\n `: each fits on a line of its own and
 * no character is cut in two. Q encoding is used where it is shorter, B encoding otherwise.
 * @param column where the first word begins, so that the first line stays within 76 characters
 */
export function encodeWords(text: string, column = 1): string {
  const bytes = Buffer.from(text, 'utf8');
  let quoted = 0;
  for (const byte of bytes) if (byte !== 0x20 && !Q_SAFE.has(byte)) quoted++;
  const useQ = bytes.length + quoted * 2 <= (bytes.length * 4) / 3;
  const words: string[] = [];
  let from = 0;
  let payload = Math.min(Math.max(MAX_PAYLOAD - column + 1, MIN_PAYLOAD), MAX_PAYLOAD);
  while (from < bytes.length) {
    const to = characterStart(
      bytes,
      useQ ? endOfQWord(bytes, from, payload) : from + Math.floor(payload / 4) * 3,
    );
    words.push(useQ ? qWord(bytes, from, to) : bWord(bytes, from, to));
    from = to;
    payload = MAX_PAYLOAD;
  }
  return words.join('\r\n ');
}

function bWord(bytes: Buffer, from: number, to: number): string {
  return `=?UTF-8?B?${bytes.toString('base64', from, to)}?=`;
}

function qWord(bytes: Buffer, from: number, to: number): string {
  let payload = '';
  for (let at = from; at < to; at++) payload += qCharacter(bytes[at] ?? 0);
  return `=?UTF-8?Q?${payload}?=`;
}

function qCharacter(byte: number): string {
  if (byte === 0x20) return '_';
  if (Q_SAFE.has(byte)) return String.fromCharCode(byte);
  return `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function endOfQWord(bytes: Buffer, from: number, payload: number): number {
  let used = 0;
  let to = from;
  while (to < bytes.length) {
    const byte = bytes[to] ?? 0;
    used += byte === 0x20 || Q_SAFE.has(byte) ? 1 : 3;
    if (used > payload) break;
    to++;
  }
  return to;
}

/** Steps back to where the UTF-8 character that would be cut begins. */
function characterStart(bytes: Buffer, to: number): number {
  let start = Math.min(to, bytes.length);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
