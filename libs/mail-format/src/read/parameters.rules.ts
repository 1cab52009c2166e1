import { decodeCharset } from './charsets.js';

const MAX_FIELD_CHARS = 4_000;
/** RFC 2231 §3; a name in more pieces is no name. */
const MAX_PIECES = 50;

/** A field as Content-Type and Content-Disposition have it: `value; name=value; …` (RFC 2045 §5.1). */
export interface FieldWithParameters {
  /** the token in front, in lower case */
  readonly value: string;
  /** names in lower case, the first of each name counts; pieces and percent codes of RFC 2231 are put together */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads a field up to the first fault, without comments and quotes. */
export function readParameters(field: string | undefined): FieldWithParameters {
  const [first = '', ...rest] = splitAtSemicolons((field ?? '').slice(0, MAX_FIELD_CHARS));
  const given = new Map<string, string>();
  for (const parameter of rest) {
    const equals = parameter.indexOf('=');
    const name = parameter.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    if (name !== '' && !given.has(name)) given.set(name, trimUnquoted(parameter.slice(equals + 1)));
  }
  return { value: trimUnquoted(first).toLowerCase(), parameters: joinPieces(given) };
}

/** The first token of a field without parameters: `base64 (by hand);` → `base64` */
export const firstToken = (field: string): string => /^[^\s;,]*/.exec(readParameters(field).value)?.[0] ?? '';

/** Marks the edges of a quoted text, so that blanks there are kept. */
const QUOTE = '\0';

const trimUnquoted = (text: string): string => text.trim().replaceAll(QUOTE, '');

/** Names are often written without the quotes that a bracket needs: `filename=Invoice (1).pdf`. */
const BARE_NAME = /^\s{0,20}(?:file)?name(?:\*\d{0,2}\*?)?\s{0,20}=/i;

/** At semicolons outside quotes and comments. Comments are left out, quotes become marks. */
function splitAtSemicolons(value: string): string[] {
  const pieces = [''];
  let quoted = false;
  let comments = 0;
  const add = (text: string) => {
    if (comments === 0) pieces[pieces.length - 1] += text;
  };
  for (let at = 0; at < value.length; at++) {
    const character = value.charAt(at);
    if (character === '\\' && (quoted || comments > 0)) add(value.charAt(++at));
    else if (character === '"' && comments === 0) {
      quoted = !quoted;
      add(QUOTE);
    } else if (quoted) add(character);
    else if (character === '(' && (comments > 0 || !BARE_NAME.test(pieces.at(-1) ?? ''))) {
      // a comment separates words as a blank does
      add(' ');
      comments += 1;
    } else if (character === ')' && comments > 0) comments -= 1;
    else if (character === ';' && comments === 0) pieces.push('');
    else add(character);
  }
  return pieces;
}

interface Piece {
  readonly nth: number;
  readonly text: string;
  readonly isEncoded: boolean;
}

/** `name*`, `name*0`, `name*1*`, …: their joined value comes before a plain `name` (RFC 2231 §3, §4). */
function joinPieces(given: ReadonlyMap<string, string>): Map<string, string> {
  const whole = new Map<string, string>();
  const inPieces = new Map<string, Piece[]>();
  for (const [written, text] of given) {
    const [, name, nth = '0', code = ''] = /^([^*]+)\*(?:(\d{1,3})(\*?))?$/.exec(written) ?? [];
    if (name === undefined) {
      whole.set(written, text);
      continue;
    }
    const isEncoded = written.endsWith('*') || code === '*';
    const pieces = inPieces.get(name) ?? [];
    if (pieces.length < MAX_PIECES) pieces.push({ nth: Number(nth), text, isEncoded });
    inPieces.set(name, pieces);
  }
  for (const [name, pieces] of inPieces)
    whole.set(name, fromPieces(pieces.toSorted((one, other) => one.nth - other.nth)));
  return whole;
}

/** `charset'language'percent-encoded`: only the first piece names the charset. */
function fromPieces(pieces: readonly Piece[]): string {
  const [first] = pieces;
  const [, charset = '', rest] =
    (first?.isEncoded === true && /^([^']*)'[^']*'(.*)$/s.exec(first.text)) || [];
  const bytes = pieces.map(({ text, isEncoded }, nth) => {
    const value = nth === 0 && rest !== undefined ? rest : text;
    return isEncoded ? percentDecoded(value) : Buffer.from(value);
  });
  return decodeCharset(Buffer.concat(bytes), charset);
}

/** A percent sign without a code is literal. */
function percentDecoded(text: string): Buffer {
  const pieces = text.split(/((?:%[0-9a-f]{2})+)/i);
  return Buffer.concat(
    pieces.map((piece, nth) =>
      nth % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece.replaceAll('%', ''), 'hex'),
    ),
  );
}
