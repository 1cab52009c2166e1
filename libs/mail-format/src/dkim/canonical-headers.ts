import type { Canonicalization } from './body-hash.js';

/** A field as it stands in the message: folded, bytes as latin1 characters, without CRLF at its end. */
export interface RawField {
  /** lower case */
  readonly name: string;
  readonly text: string;
}

/** @param headers fields, each ended by CRLF, without the empty line */
export function splitHeaders(headers: Buffer): RawField[] {
  return headers
    .toString('latin1')
    .split(/\r\n(?![ \t])/)
    .filter((text) => text !== '')
    .map((text) => {
      const colon = text.indexOf(':');
      return {
        name: text
          .slice(0, colon < 0 ? text.length : colon)
          .trimEnd()
          .toLowerCase(),
        text,
      };
    });
}

/** One field in canonical form, without CRLF at its end (RFC 6376 §3.4.1, §3.4.2). */
export function canonicalField(field: RawField, canonicalization: Canonicalization): string {
  if (canonicalization === 'simple') return field.text;
  const value = field.text.slice(field.text.indexOf(':') + 1);
  return `${field.name}:${trimBlanks(value.replaceAll('\r\n', '').replace(/[ \t]+/g, ' '))}`;
}

/** After runs of blanks became one there is at most one at each edge. */
function trimBlanks(value: string): string {
  const start = value.startsWith(' ') ? 1 : 0;
  return value.endsWith(' ') && value.length > start ? value.slice(start, -1) : value.slice(start);
}
