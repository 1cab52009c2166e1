import { normaliseDomain, trimText } from '@postmesh/contracts';

/** An address in its stored form: trimmed, lower case, the domain as A-labels. */
export interface EmailAddress {
  /** `localPart@domain`, the form in envelopes, headers and rows */
  readonly address: string;
  /** dot-atom or, where necessary, a quoted string with its quotes */
  readonly localPart: string;
  readonly domain: string;
  /** the local part is not ASCII, so only servers with SMTPUTF8 (RFC 6531) can take it */
  readonly needsSmtpUtf8: boolean;
}

type EmailAddressProblem =
  | 'line break or control character'
  | 'empty'
  | 'too long'
  | 'no @'
  | 'invalid local part'
  | 'invalid domain'
  | 'IP address literal';

type ParsedEmailAddress =
  | { readonly ok: true; readonly address: EmailAddress }
  | { readonly ok: false; readonly problem: EmailAddressProblem };

// RFC 5321 §4.5.3.1: 64 octets of local part; 254 octets fit between the angle brackets of a path.
const MAX_LOCAL_OCTETS = 64;
const MAX_ADDRESS_OCTETS = 254;
// With blanks around it. A longer text is refused before a regular expression sees it.
const MAX_INPUT_CHARS = 1_000;

// RFC 5322 atext, and for SMTPUTF8 every character beyond ASCII except separators, controls, lone surrogates and the
// replacement character of invalid UTF-8.
const ATOM = "[a-z0-9!#$%&'*+\\-/=?^_`{|}~]";
const UTF8_ATOM = `(?:${ATOM}|[^\\p{ASCII}\\p{Z}\\p{C}\\ufffd])`;
const DOT_ATOM = new RegExp(`^${ATOM}+(?:\\.${ATOM}+)*$`);
const UTF8_DOT_ATOM = new RegExp(`^${UTF8_ATOM}+(?:\\.${UTF8_ATOM}+)*$`, 'u');
// RFC 5321 allows blanks and angle brackets between quotes, but SMTP commands are split at them: a server with a
// careless parser would deliver to another address. No real mailbox needs them.
const QUOTED = /^"((?:[^"\\\s<>\p{Cc}]|\\[^\s<>\p{Cc}])*)"$/u;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/**
 * Parses an address from the API or from an envelope (spec 1-platform §1.2, RFC 5321 §4.1.2).
 * Refuses characters that could change a command or a header (CR, LF, NUL, other controls, blanks and angle brackets
 * even between quotes), IP literals, and domains that are not fully qualified. A quoted local part that needs no quotes
 * loses them, so that one mailbox has one spelling.
 */
export function parseEmailAddress(text: string): ParsedEmailAddress {
  if (text.length > MAX_INPUT_CHARS) return refused('too long');
  if (CONTROL.test(text)) return refused('line break or control character');
  const trimmed = trimText(text);
  // no spelling of an address has fewer octets than the text has characters
  if (trimmed.length > MAX_ADDRESS_OCTETS) return refused('too long');
  if (trimmed === '') return refused('empty');
  const at = trimmed.lastIndexOf('@');
  if (at <= 0) return refused(at === 0 ? 'invalid local part' : 'no @');
  const domain = trimmed.slice(at + 1);
  if (domain.startsWith('[')) return refused('IP address literal');
  // A trailing dot is valid in DNS; in an address it is a typing error.
  const normalDomain = /^\s|\s$|\.$/.test(domain) ? undefined : normaliseDomain(domain);
  if (normalDomain === undefined) return refused('invalid domain');
  const localPart = normaliseLocalPart(trimmed.slice(0, at));
  if (localPart === undefined) return refused('invalid local part');
  const address = `${localPart}@${normalDomain}`;
  const localOctets = Buffer.byteLength(localPart);
  if (localOctets > MAX_LOCAL_OCTETS || localOctets + 1 + normalDomain.length > MAX_ADDRESS_OCTETS) {
    return refused('too long');
  }
  const beyondAscii = localOctets !== localPart.length;
  return { ok: true, address: { address, localPart, domain: normalDomain, needsSmtpUtf8: beyondAscii } };
}

/** Whether only a server with SMTPUTF8 takes a stored address (RFC 6531). */
// eslint-disable-next-line no-control-regex
export const needsSmtpUtf8 = (address: string): boolean => /[^\x00-\x7f]/.test(address);

function normaliseLocalPart(given: string): string | undefined {
  const local = given.normalize('NFC').toLowerCase();
  if (isDotAtom(local)) return local;
  const quoted = QUOTED.exec(local)?.[1];
  if (quoted === undefined || quoted === '') return undefined;
  const plain = quoted.replace(/\\(.)/gu, '$1');
  if (isDotAtom(plain)) return plain;
  return `"${plain.replace(/["\\]/g, '\\$&')}"`;
}

function isDotAtom(local: string): boolean {
  return DOT_ATOM.test(local) || UTF8_DOT_ATOM.test(local);
}

function refused(problem: EmailAddressProblem): ParsedEmailAddress {
  return { ok: false, problem };
}
