import { normaliseDomain, trimText } from '@postmesh/contracts';

/** What a route takes: `<local pattern>@<domain>`; `""` takes every address of the account (spec 1-platform §13.3). */
export interface RecipientPattern {
  /** as it is shown: the local part as it was written, the domain in its one spelling */
  recipient: string;
  /** null: of every domain of the account */
  domain: string | null;
}

// atext of RFC 5322 with the asterisk, dots, and what RFC 6531 adds; a pattern may leave out what an address needs
// beside a dot.
const UNQUOTED = /^(?:[a-z0-9!#$%&'*+\-/=?^_`{|}~.]|[^\p{ASCII}\p{Z}\p{C}])+$/iu;
const QUOTED = /^"((?:[^"\\\s<>\p{C}]|\\[^\s<>\p{C}])+)"$/u;

/** @returns undefined when it is no pattern */
export function readPattern(text: string): RecipientPattern | undefined {
  if (text === '') return { recipient: '', domain: null };
  const trimmed = trimText(text);
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(0, at));
  const domain = normaliseDomain(trimmed.slice(at + 1));
  if (domain === undefined || !(UNQUOTED.test(local) || QUOTED.test(local))) return undefined;
  return { recipient: `${local}@${domain}`, domain };
}

/** One mailbox, ready to be compared: no quotes, lower case. */
export interface PlainAddress {
  local: string;
  domain: string;
}

/** @param address as `parseEmailAddress` gives it, or a pattern */
export function plainAddress(address: string): PlainAddress {
  const at = address.lastIndexOf('@');
  return { local: plainLocal(address.slice(0, at)), domain: address.slice(at + 1) };
}

/** "John Doe", "john.doe" and john.doe: quotes are a way to write a local part and no part of it (RFC 5321 §4.1.2). */
function plainLocal(local: string): string {
  const quoted = QUOTED.exec(local)?.[1];
  const plain = quoted === undefined ? local : quoted.replace(/\\(.)/gu, '$1');
  return plain.normalize('NFC').toLowerCase();
}

/** Whether an address of the account is taken by a pattern. */
export type TakesAddress = (address: PlainAddress) => boolean;

/** @param recipient of a route, as `readPattern` gave it */
export function takesAddress(recipient: string): TakesAddress {
  if (recipient === '') return () => true;
  const { local, domain } = plainAddress(recipient);
  const pieces = local.split('*');
  return (address) => address.domain === domain && holdsPieces(address.local, pieces);
}

/**
 * Whether the text is these pieces with anything between them. The first place at which a piece is found is as good as
 * any later one, so nothing is tried twice: no text of a stranger makes this slow.
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
