import { encodeWords } from '../headers/encoded-words.js';

/** A value with parameters: of Content-Type and Content-Disposition (RFC 2045 §5.1, RFC 2183). */
export interface ParameterValue {
  /** without blanks around it, in its own letter case */
  readonly value: string;
  /** by name in lower case; of two of a name the first counts */
  readonly parameters: ReadonlyMap<string, string>;
}

// RFC 2045 §5.1, without the apostrophe and a hyphen in front, which some programs misread outside of quotes.
const TOKEN = /^(?!-)[!#$%&*+\-.0-9A-Z^_`a-z{|}~]+$/;
// RFC 2231 §7 attribute-char, without the quote that ends charset and language.
const ATTRIBUTE_CHARS = /[^!#$&+\-.0-9A-Z^_`a-z{|}~]/g;
// Longer ones are written in pieces, so that lines can be folded (RFC 2231 §3).
const MAX_WHOLE = 74;
const PIECE = 50;
const MAX_PARAMETERS = 100;

/** `value; name=parameter…`, in one line with a blank before each parameter, for folding. */
export function formatParameters({ value, parameters }: ParameterValue): string {
  const written = [...parameters].flatMap(([name, text]) => formatParameter(name, text));
  // what is no token has no other way to be written
  return [value.replace(/[^\x20-\x7e]/g, ''), ...written].join('; ');
}

/** One parameter, in pieces and percent-encoded (RFC 2231) where it has to be. */
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

/** No code of a byte is cut in two; of a quoted text the backslashes come later. */
function piecesOf(text: string): string[] {
  const pieces = [''];
  for (const [unit] of text.matchAll(/%[0-9A-F]{2}|[^]/g)) {
    if ((pieces.at(-1) ?? '').length + unit.length > PIECE) pieces.push('');
    pieces[pieces.length - 1] += unit;
  }
  return pieces;
}

/** Reads such a value leniently: comments are left out, pieces and percent-encoding of RFC 2231 are put together. */
export function parseParameters(text: string): ParameterValue {
  const [value = '', ...rest] = splitParameters(text);
  const given = new Map<string, string>();
  for (const item of rest.slice(0, MAX_PARAMETERS)) {
    const [, name, raw = ''] = /^\s*([^\s=]+)\s*=\s*([^]*)$/.exec(item) ?? [];
    const lower = name?.toLowerCase();
    if (lower !== undefined && !given.has(lower)) given.set(lower, unquoted(raw.trim()));
  }
  return { value: value.trim(), parameters: joinPieces(given) };
}

/** At semicolons outside of quotes; comments go. */
function splitParameters(text: string): string[] {
  const items: string[] = [];
  let item = '';
  let [isQuoted, depth] = [false, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const piece = character === '\\' && (isQuoted || depth > 0) ? text.slice(at, ++at + 1) : character;
    if (depth === 0 && character === '"') isQuoted = !isQuoted;
    if (!isQuoted && character === '(') depth++;
    else if (!isQuoted && depth > 0) depth -= character === ')' ? 1 : 0;
    else if (!isQuoted && character === ';') {
      items.push(item);
      item = '';
    } else item += piece;
  }
  return [...items, item];
}

const unquoted = (raw: string): string =>
  raw.startsWith('"')
    ? raw
        .slice(1)
        .replace(/"[^"]*$/, '')
        .replace(/\\(.)/g, '$1')
    : raw;

function joinPieces(given: ReadonlyMap<string, string>): Map<string, string> {
  const joined = new Map<string, string>();
  for (const [name, text] of given) {
    const [, base = name, nth, extended] = /^([^*]+)(?:\*(\d+))?(\*)?$/.exec(name) ?? [];
    if (nth === undefined && extended === undefined) {
      joined.set(base, text);
      continue;
    }
    if (nth !== undefined && nth !== '0') continue;
    // it says more than one of the older form
    joined.set(base, wholeOf(given, base, nth !== undefined));
  }
  return joined;
}

function wholeOf(given: ReadonlyMap<string, string>, base: string, inPieces: boolean): string {
  let charset = 'utf-8';
  const bytes: Buffer[] = [];
  for (let at = 0; at < (inPieces ? MAX_PARAMETERS : 1); at++) {
    const name = inPieces ? `${base}*${at}` : base;
    const [piece, coded] = [given.get(name), given.get(`${name}*`)];
    if (coded === undefined) {
      if (piece === undefined) break;
      bytes.push(Buffer.from(piece));
      continue;
    }
    const [, named, rest] = (at === 0 && /^([^']*)'[^']*'([^]*)$/.exec(coded)) || [];
    if (named) charset = named;
    bytes.push(percentDecoded(rest ?? coded));
  }
  return decoderOf(charset).decode(Buffer.concat(bytes));
}

function decoderOf(charset: string): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** As bytes: a character may be cut between two pieces. */
const percentDecoded = (text: string): Buffer =>
  Buffer.from(
    Buffer.from(text)
      .toString('latin1')
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
