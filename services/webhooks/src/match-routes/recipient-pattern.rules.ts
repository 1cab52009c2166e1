import { normaliseDomain, trimText } from '@postmesh/contracts';

/** The recipient of a route: `<local pattern>@<domain>`; `""` matches every address of the account (spec 1-platform §13.3). */
export interface RecipientPattern {
  /** the public form: the local part as written, the domain in its canonical spelling */
  recipient: string;
  /** null: all domains of the account */
  domain: string | null;
}

// atext of RFC 5322 with the asterisk, dots, and the characters of RFC 6531; unlike an address, a pattern may have
// dots at any place.
const UNQUOTED = /^(?:[a-z0-9!#$%&'*+\-/=?^_`{|}~.]|[^\p{ASCII}\p{Z}\p{C}])+$/iu;
const QUOTED = /^"((?:[^"\\\s<>\p{C}]|\\[^\s<>\p{C}])+)"$/u;

/** @returns undefined for an invalid pattern */
export function readPattern(text: string): RecipientPattern | undefined {
  if (text === '') return { recipient: '', domain: null };
  const trimmed = trimText(text);
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(0, at));
  const domain = normaliseDomain(trimmed.slice(at + 1));
  if (domain === undefined || !(UNQUOTED.test(local) || QUOTED.test(local))) return undefined;
  return { recipient: `${local}@${domain}`, domain };
}

/** One mailbox in comparable form: no quotes, lower case. */
export interface PlainAddress {
  local: string;
  domain: string;
}

/** @param address of `parseEmailAddress`, or a pattern */
export function plainAddress(address: string): PlainAddress {
  const at = address.lastIndexOf('@');
  return { local: plainLocal(address.slice(0, at)), domain: address.slice(at + 1) };
}

/** "John Doe", "john.doe" and john.doe: quotes are not part of a local part (RFC 5321 §4.1.2). */
function plainLocal(local: string): string {
  const quoted = QUOTED.exec(local)?.[1];
  const plain = quoted === undefined ? local : quoted.replace(/\\(.)/gu, '$1');
  return plain.normalize('NFC').toLowerCase();
}

/** Whether a pattern matches an address of the account. */
export type TakesAddress = (address: PlainAddress) => boolean;

/** @param recipient of a route, as returned by `readPattern` */
export function takesAddress(recipient: string): TakesAddress {
  if (recipient === '') return () => true;
  const { local, domain } = plainAddress(recipient);
  const pieces = local.split('*');
  return (address) => address.domain === domain && holdsPieces(address.local, pieces);
}

/**
 * Whether the text consists of these pieces with anything between them. The first occurrence of a piece is as good as
 * any later one, so there is no backtracking, and no text can make this slow.
 */
function holdsPieces(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return text.length - from >= last.length && text.endsWith(last);
}
