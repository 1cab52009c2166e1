import { decodeWords } from 'postal-mime';

const LF = 0x0a;
const CR = 0x0d;
/** Far beyond real messages; a flood of header fields is not read to its end. */
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_FIELDS = 500;
/** Longer values are cut where words of RFC 2047 are decoded. */
const MAX_WORDS_CHARS = 1_000;

export interface ReportField {
  /** in lower case */
  readonly name: string;
  /** unfolded */
  readonly value: string;
}

/** Header fields, or the fields of a status part, which have the same form (RFC 3464 §2.1.1). */
export class ReportFields {
  constructor(readonly list: readonly ReportField[]) {}

  /** @param name in lower case */
  first(name: string): string | undefined {
    return this.list.find((field) => field.name === name)?.value;
  }

  all(name: string): string[] {
    return this.list.filter((field) => field.name === name).map(({ value }) => value);
  }

  /** The first value as a person reads it: words of RFC 2047 decoded. */
  words(name: string): string | undefined {
    const value = this.first(name)?.slice(0, MAX_WORDS_CHARS);
    return value === undefined ? undefined : decodeWords(value);
  }
}

/** Splits a message or a part at its first empty line; line ends may be CRLF or LF. */
export function splitHeaders(bytes: Buffer): { fields: ReportFields; body: Buffer; cut: boolean } {
  const { end, bodyAt } = findEmptyLine(bytes);
  const read = Math.min(end, MAX_HEADER_BYTES);
  const list = readFields(bytes.toString('utf8', 0, read));
  return {
    fields: new ReportFields(list),
    body: bytes.subarray(bodyAt),
    cut: read < end || list.length === MAX_FIELDS,
  };
}

function findEmptyLine(bytes: Buffer): { end: number; bodyAt: number } {
  if (bytes[0] === LF) return { end: 0, bodyAt: 1 };
  if (bytes[0] === CR && bytes[1] === LF) return { end: 0, bodyAt: 2 };
  // in what is read of a header first: each level of a deep message would be searched to its end
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

/**
 * Reads `Name: value` lines and their continuations. Lines that are neither are left out.
 * @param text without an empty line
 */
export function readFields(text: string): ReportField[] {
  const fields: { name: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const last = fields.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) {
      last.lines.push(line.trim());
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? '' : line.slice(0, colon).trim();
    if (name === '' || name.length > 100 || /\s/.test(name)) continue;
    if (fields.length === MAX_FIELDS) break;
    fields.push({ name: name.toLowerCase(), lines: [line.slice(colon + 1).trim()] });
  }
  return fields.map(({ name, lines }) => ({ name, value: lines.join(' ').trim() }));
}
