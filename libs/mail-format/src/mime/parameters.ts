import { encodeWords } from '../headers/encoded-words.js';
import type { FieldWithParameters } from '../read/parameters.rules.js';

// RFC 2045 §5.1, without the apostrophe and a hyphen in front, which some programs misread outside of quotes.
const TOKEN = /^(?!-)[!#$%&*+\-.0-9A-Z^_`a-z{|}~]+$/;
// RFC 2231 §7 attribute-char, without the quote that ends charset and language.
const ATTRIBUTE_CHARS = /[^!#$&+\-.0-9A-Z^_`a-z{|}~]/g;
// Longer ones are written in pieces, so that lines can be folded (RFC 2231 §3).
const MAX_WHOLE = 74;
const PIECE = 50;

/** `value; name=parameter…`, in one line with a blank before each parameter, for folding. */
export function formatParameters({ value, parameters }: FieldWithParameters): string {
  // a name that is no token has no other form
  const named = [...parameters].filter(([name]) => TOKEN.test(name));
  const written = named.flatMap(([name, text]) => formatParameter(name, text));
  return [value.replace(/[^\x20-\x7e]/g, ''), ...written].join('; ');
}

/** One parameter, in pieces and percent-encoded (RFC 2231) where necessary. */
function formatParameter(name: string, text: string): string[] {
  if (!/^[\x20-\x7e]*$/.test(text)) {
    const pieces = piecesOf(`utf-8''${percentEncoded(text)}`);
    return pieces.map((piece, nth) => `${name}*${nth}*=${piece}`);
  }
  if (text.length <= MAX_WHOLE) return [`${name}=${quoted(text)}`];
  return piecesOf(text).map((piece, nth) => `${name}*${nth}=${quoted(piece)}`);
}

/** The same name for programs that do not read RFC 2231: quoted, beyond ASCII as encoded words. */
export const formatOldName = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? quoted(text) : `"${encodeWords(text).replaceAll('\r\n ', ' ')}"`;

const quoted = (text: string): string => (TOKEN.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`);

const percentEncoded = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(ATTRIBUTE_CHARS, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** Splits no code of a byte; the backslashes of a quoted text are added later. */
function piecesOf(text: string): string[] {
  const pieces = [''];
  for (const [unit] of text.matchAll(/%[0-9A-F]{2}|[^]/g)) {
    if ((pieces.at(-1) ?? '').length + unit.length > PIECE) pieces.push('');
    pieces[pieces.length - 1] += unit;
  }
  return pieces;
}
