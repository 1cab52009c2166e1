import { decodeWords } from 'postal-mime';

// Real headers are a few KiB; a From or Subject that stands beyond this is not looked for.
const LONGEST_HEADER_BLOCK = 64 * 1024;
const LONGEST_VALUE = 998;

export interface HeaderLine {
  name: string;
  /** Unfolded, not decoded. */
  value: string;
}

/** The header fields of a letter in order; the body is not touched. */
export function headerLines(raw: Buffer): HeaderLine[] {
  const end = raw.subarray(0, LONGEST_HEADER_BLOCK).indexOf('\r\n\r\n');
  const block = raw.subarray(0, end < 0 ? LONGEST_HEADER_BLOCK : end).toString('utf8');
  return block
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .flatMap((line) => {
      const colon = line.indexOf(':');
      return colon <= 0 ? [] : [{ name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() }];
    });
}

/** The first field of that name, decoded (RFC 2047), in one line; empty when there is none. */
export function headerText(lines: readonly HeaderLine[], name: string): string {
  const value = lines.find((line) => line.name.toLowerCase() === name)?.value ?? '';
  return decodeWords(value.slice(0, 8 * LONGEST_VALUE))
    .replace(/\s+/g, ' ')
    .slice(0, LONGEST_VALUE);
}
