import { decodeCharset } from './charsets.js';
import { decodeWords } from './encoded-words.js';

const LF = 0x0a;
const CR = 0x0d;
/** Far beyond real messages, which have some kilobytes; a flood of header fields is not read to its end. */
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_FIELDS = 1_000;
const MAX_NAME_CHARS = 100;
/** Longer values are cut where a person reads them. */
const MAX_WORDS_CHARS = 8_000;

export interface ReadField {
  /** in lower case */
  readonly name: string;
  /** the name as it is written */
  readonly written: string;
  /** unfolded; bytes beyond ASCII are UTF-8 (RFC 6532) where they can be, else windows-1252 */
  readonly value: string;
}

/** Header fields, or the fields of a status part, which have the same form (RFC 3464 §2.1.1). */
export class ReadFields {
  private readonly byName = new Map<string, string[]>();

  constructor(readonly list: readonly ReadField[]) {
    for (const { name, value } of list) {
      const values = this.byName.get(name);
      if (values) values.push(value);
      else this.byName.set(name, [value]);
    }
  }

  /** @param name in lower case */
  first(name: string): string | undefined {
    return this.byName.get(name)?.[0];
  }

  all(name: string): readonly string[] {
    return this.byName.get(name) ?? [];
  }

  /** The first value for people: words of RFC 2047 decoded. */
  words(name: string): string | undefined {
    const value = this.first(name)?.slice(0, MAX_WORDS_CHARS);
    return value === undefined ? undefined : decodeWords(value);
  }
}
/** Splits a message or a part at its first empty line; line ends may be CRLF or LF. */
export function readHeaders(bytes: Buffer): { fields: ReadFields; body: Buffer; cut: boolean } {
  const { end, bodyAt } = findEmptyLine(bytes);
  const read = Math.min(end, MAX_HEADER_BYTES);
  const list = readFields(bytes.toString('latin1', 0, read), decodeRaw);
  return {
    fields: new ReadFields(list),
    body: bytes.subarray(bodyAt),
    cut: read < end || list.length === MAX_FIELDS,
  };
}

function findEmptyLine(bytes: Buffer): { end: number; bodyAt: number } {
  if (bytes[0] === LF) return { end: 0, bodyAt: 1 };
  if (bytes[0] === CR && bytes[1] === LF) return { end: 0, bodyAt: 2 };
  // searches the readable part of a header first: each level of a deep message would be searched to its end
  return (
    emptyLineIn(bytes.subarray(0, MAX_HEADER_BYTES)) ??
    emptyLineIn(bytes) ?? { end: bytes.length, bodyAt: bytes.length }
  );
}

function emptyLineIn(bytes: Buffer): { end: number; bodyAt: number } | undefined {
  const bare = bytes.indexOf('\n\n', 0, 'latin1');
  const crlf = (bare < 0 ? bytes : bytes.subarray(0, bare + 1)).indexOf('\n\r\n', 0, 'latin1');
  if (crlf >= 0) return { end: crlf + 1, bodyAt: crlf + 3 };
  return bare >= 0 ? { end: bare + 1, bodyAt: bare + 2 } : undefined;
}

/** @param text of bytes, in Latin-1 */
const decodeRaw = (text: string): string =>
  /[\x80-\xff]/.test(text) ? decodeCharset(Buffer.from(text, 'latin1'), '') : text;

/**
 * Reads `Name: value` lines and their continuations. Lines that are neither are left out.
 * @param text without an empty line
 */
export function readFields(text: string, decode = (value: string): string => value): ReadField[] {
  const fields: { name: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const last = fields.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) {
      last.lines.push(line.trim());
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? '' : line.slice(0, colon).trim();
    if (name === '' || name.length > MAX_NAME_CHARS || /\s/.test(name)) continue;
    if (fields.length === MAX_FIELDS) break;
    fields.push({ name, lines: [line.slice(colon + 1).trim()] });
  }
  return fields.map(({ name, lines }) => ({
    name: name.toLowerCase(),
    written: name,
    value: decode(lines.join(' ').trim()),
  }));
}
