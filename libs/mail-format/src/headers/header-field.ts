import { Permanent } from '@postmesh/contracts';
import { formatMailbox, joinAddresses, type Mailbox, writeList } from '../addresses/address-list.js';
import { formatParameters } from '../mime/parameters.js';
import { readParameters } from '../read/parameters.rules.js';
import { encodeWords } from './encoded-words.js';
import { fieldKind, type FieldKind } from './header-fields.table.js';
import { foldHeader } from './folding.js';

/** One header field with its value unfolded, in Unicode. The name keeps its case. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

export interface WriteOptions {
  /** the message is sent with SMTPUTF8 (RFC 6531): addresses beyond ASCII are written as they are (RFC 6532) */
  readonly smtpUtf8?: boolean | undefined;
  /** without it they become the names of empty groups (RFC 6857 §3.1) instead of a problem */
  readonly downgrade?: boolean | undefined;
}

/** The message must not be written: part of its content would break out of its header field. */
export class UnsafeMessage extends Permanent {}

// RFC 5322 §2.2: a field name is printable ASCII without the colon. A longer name leaves its value no room on the line.
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]{1,76}$/;
// RFC 5322 §2.1.1, in octets.
const MAX_LINE = 998;
// A word of this length fits on a line behind the longest name.
const MAX_WORD = 900;
// RFC 2045 §6.7 and RFC 2047 §2 stay within 76 characters.
const MAX_PARAMETERS_LINE = 76;
const ASCII_TEXT = /^[\t\x20-\x7e]*$/;

export const isFieldName = (name: string): boolean => FIELD_NAME.test(name);

/**
 * Writes one header field of any message: folded (RFC 5322 §2.2.3) where possible, in lines of 998 octets at most,
 * without CRLF at its end. By its name (`header-fields.table.ts`) it is text, addresses, ids, a date, phrases or
 * another structure: only text and phrases become encoded words (RFC 2047 §5). A value in ASCII is written as it is
 * given.
 * @throws UnsafeMessage for unwritable input: a name or value that breaks the header block, an invalid structure, an
 * address beyond ASCII without SMTPUTF8. The checks at acceptance give a 400 first, this is the last check.
 */
export function writeField(field: HeaderField, options: WriteOptions = {}): string {
  const written = tryField(field, options);
  if ('problem' in written) throw new UnsafeMessage(`header '${printable(field.name)}' ${written.problem}`);
  return written.line;
}

/** Several of them, each ended by CRLF. @throws UnsafeMessage */
export const writeFields = (fields: readonly HeaderField[], options: WriteOptions = {}): string =>
  fields.map((field) => `${writeField(field, options)}\r\n`).join('');

/**
 * Why a field cannot be written, or undefined when it can (spec 2-messages §5.2).
 * @returns the text behind the name of the header in an error
 */
export function fieldProblem(field: HeaderField, options: WriteOptions = {}): string | undefined {
  const { name, value } = field;
  // nearly every field, which need not be written to find out
  if (value.length <= MAX_WORD && isFieldName(name) && ASCII_TEXT.test(value)) {
    const kind = fieldKind(name);
    if (kind === 'text' || kind === 'structured') return undefined;
  }
  const written = tryField(field, options);
  return 'problem' in written ? written.problem : undefined;
}

/** @returns why a value would break the header block, in any field */
export const breakProblem = (value: string): string | undefined =>
  // eslint-disable-next-line no-control-regex
  /[\r\n\u0000]/.test(value) ? 'must not contain a line break or NUL' : undefined;

/** Writes a subject: text that looks like an encoded word is literal and is encoded itself. @throws UnsafeMessage */
export function writeSubject(text: string): string {
  if (!text.includes('=?')) return writeField({ name: 'Subject', value: text });
  const problem = breakProblem(text);
  if (problem !== undefined) throw new UnsafeMessage(`header 'Subject' ${problem}`);
  return `Subject: ${encodeWords(trimBlanks(text), 'Subject: '.length)}`;
}

/**
 * One address field, folded after its commas. An address beyond ASCII without SMTPUTF8 becomes the name of an empty
 * group in fields that only inform (To, Cc), so that the message still reaches the others (RFC 6857 §3.1).
 * @throws UnsafeMessage when a name or an address would break out, and for such an address in From or Reply-To, which
 * is only useful as an address
 */
export function writeMailboxes(
  name: 'From' | 'To' | 'Cc' | 'Reply-To',
  mailboxes: readonly Mailbox[],
  options: WriteOptions = {},
): string {
  const informs = name === 'To' || name === 'Cc';
  const addressOptions = { smtpUtf8: options.smtpUtf8, downgrade: informs };
  const texts = mailboxes.map((mailbox) => {
    const formatted = formatMailbox(mailbox, addressOptions);
    if ('problem' in formatted) throw new UnsafeMessage(`header '${name}' ${formatted.problem}`);
    return formatted.text;
  });
  return foldHeader(joinAddresses(name, texts));
}

/** The date of a message of ours. */
export const writeDate = (date: Date): string => `Date: ${formatDate(date)}`;

/** RFC 5322 §3.3, in UTC. */
export const formatDate = (date: Date): string => `${date.toUTCString().slice(0, -'GMT'.length)}+0000`;

type Written = { readonly line: string } | { readonly problem: string };
type Writer = (name: string, value: string, options: WriteOptions) => Written;

function tryField({ name, value }: HeaderField, options: WriteOptions): Written {
  if (!isFieldName(name)) return { problem: 'is no name of a header' };
  const problem = breakProblem(value);
  if (problem !== undefined) return { problem };
  const written = WRITERS[fieldKind(name)](name, trimBlanks(value), options);
  if ('problem' in written || fitsLines(written.line)) return written;
  return { problem: 'has a part that is too long for one line' };
}

const NO_IDS = 'must be message ids in ASCII, such as <1@shop.test>';
const NO_DATE = 'must be a date and time, such as Mon, 05 Jan 2026 08:00:00 +0000';
const NO_LIST_ID = 'must be a name and an id in ASCII, such as News <news.shop.test>';

const folded = (name: string, value: string): Written => ({ line: foldHeader(`${name}: ${value}`) });
const encoded = (name: string, text: string): string => encodeWords(text, name.length + 2);

const WRITERS: Readonly<Record<FieldKind, Writer>> = {
  text: (name, value) => {
    const isPlain = ASCII_TEXT.test(value) && longestWord(value) <= MAX_WORD;
    return folded(name, isPlain ? value : encoded(name, value));
  },
  addresses: (name, value, options) => {
    const list = writeList(name, value, options);
    return 'problem' in list ? list : { line: foldHeader(list.line) };
  },
  ids: (name, value) => {
    const ids = NAMES_ONE.has(name.toLowerCase()) ? ID.test(value) && [value] : readIds(value);
    return ids ? folded(name, ids.join(' ')) : { problem: NO_IDS };
  },
  date: (name, value) => (isDate(value) ? folded(name, value) : { problem: NO_DATE }),
  phrases: (name, value) => {
    if (ASCII_TEXT.test(value) && longestWord(value) <= MAX_WORD) return folded(name, value);
    const phrases = value.split(',').map(trimBlanks);
    // commas stay outside of encoded words
    const texts = phrases.map((one) =>
      ASCII_TEXT.test(one) && one.length <= MAX_WORD ? one : encoded(name, one),
    );
    return { line: foldHeader(joinAddresses(name, texts)) };
  },
  'list-id': (name, value) => {
    if (ASCII_TEXT.test(value)) return folded(name, value);
    const [, phrase = '', id] = /^([^<>]*)(<[\x21-\x3b\x3d\x3f-\x7e]+>)$/.exec(value) ?? [];
    if (id === undefined) return { problem: NO_LIST_ID };
    return folded(name, `${encoded(name, trimBlanks(phrase).replace(/^"(.*)"$/, '$1'))} ${id}`);
  },
  parameters: (name, value) => {
    if (ASCII_TEXT.test(value)) return { line: foldHeader(`${name}: ${value}`, MAX_PARAMETERS_LINE) };
    const read = readParameters(value);
    // it is written between the parts as it is
    if (!ASCII_TEXT.test(read.parameters.get('boundary') ?? ''))
      return { problem: 'has no boundary in ASCII' };
    const text = formatParameters(read);
    return { line: foldHeader(`${name}: ${text}`, MAX_PARAMETERS_LINE) };
  },
  structured: (name, value, { smtpUtf8 }) => {
    if (smtpUtf8 !== true && !ASCII_TEXT.test(value)) return { problem: 'must be plain ASCII' };
    // the links of RFC 2369: a blank behind a comma is a place to fold
    return folded(name, value.length > MAX_WORD ? value.replaceAll('>,<', '>, <') : value);
  },
};

const NAMES_ONE = new Set(['message-id', 'resent-message-id', 'content-id']);
const ID = /^<[\x21-\x3b\x3d\x3f-\x7e]+>$/;
const BARE_ID = /^[\x21-\x3b\x3d\x3f-\x7e]+@[\x21-\x3b\x3d\x3f-\x7e]+$/;

/** Ids as they are written; one without its angle brackets gets them. @returns undefined for any other value */
function readIds(value: string): string[] | undefined {
  const read: string[] = [];
  for (const [id] of value.matchAll(/<[^<>\s]*>|[^\s,<>]+|[<>]/g)) {
    if (ID.test(id)) read.push(id);
    else if (BARE_ID.test(id)) read.push(`<${id}>`);
    else return undefined;
  }
  return read.length > 0 ? read : undefined;
}

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
// RFC 5322 §3.3; of the obsolete forms (§4.3) only the names of UTC, which many programs still write.
const DATE = new RegExp(
  `^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), *)?(\\d{1,2}) +(${MONTHS}) +(\\d{4}) +([01]\\d|2[0-3]):[0-5]\\d(?::(?:[0-5]\\d|60))? +(?:[+-]\\d{4}|GMT|UTC?)(?: *\\([\\x20-\\x27\\x2a-\\x7e]*\\))?$`,
);

/** Whether it is a valid date of a header, with an existing day. */
export function isDate(value: string): boolean {
  const [, day, month = '', year] = DATE.exec(value) ?? [];
  if (year === undefined) return false;
  const nth = MONTHS.split('|').indexOf(month);
  return new Date(Date.UTC(Number(year), nth, Number(day))).getUTCMonth() === nth && Number(day) > 0;
}

/** Blanks at the edges belong to the syntax of a field, not to its value (RFC 5322 §2.2). */
function trimBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && (value[start] === ' ' || value[start] === '\t')) start++;
  while (end > start && (value[end - 1] === ' ' || value[end - 1] === '\t')) end--;
  return value.slice(start, end);
}

/** @returns the length of the longest run without a blank, at which a line cannot be folded */
function longestWord(value: string): number {
  if (value.length <= MAX_WORD) return value.length;
  return value.split(/[ \t]+/).reduce((longest, word) => Math.max(longest, word.length), 0);
}

const fitsLines = (line: string): boolean =>
  line.length * 3 <= MAX_LINE || line.split('\r\n').every((part) => Buffer.byteLength(part) <= MAX_LINE);

const printable = (name: string): string => name.slice(0, 80).replace(/[^\x20-\x7e]/g, '?');
