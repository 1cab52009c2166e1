import { decodeWords } from '../read/encoded-words.js';
import { encodeWords } from '../headers/encoded-words.js';
import { needsSmtpUtf8, parseEmailAddress } from './email-address.rules.js';

/** Address and display name. The address comes from `parseEmailAddress`. */
export interface Mailbox {
  readonly email: string;
  readonly name?: string | undefined;
}

interface AddressOptions {
  /** addresses beyond ASCII are written as they are (RFC 6532) */
  readonly smtpUtf8?: boolean | undefined;
  /** else they become the name of an empty group (RFC 6857 §3.1) */
  readonly downgrade?: boolean | undefined;
}

type Formatted = { readonly text: string } | { readonly problem: string };

// A quoted string may have no blank to fold at; a longer one could exceed the line limit of 998 characters.
const MAX_QUOTED = 200;
// Room on the first line for `Reply-To: `, so that a first encoded word fits behind it.
const MAX_FIELD_NAME = 11;
// RFC 5322 §2.1.1: lines should stay within 78 characters.
const MAX_LINE = 78;
const ASCII = /^[\x20-\x7e]*$/;
const BEYOND_ASCII = 'must not have an address beyond ASCII, since only some servers take it';

/** `Name <address>` (RFC 5322 §3.4): a phrase of atoms, a quoted string or RFC 2047 encoded words, as the name needs. */
export function formatMailbox({ email, name: given }: Mailbox, options: AddressOptions = {}): Formatted {
  if (/[\s<>\p{Cc}]/u.test(email) || !email.includes('@')) {
    return { problem: 'has an address with a line break, a blank or an angle bracket' };
  }
  const name = given?.trim() ?? '';
  // eslint-disable-next-line no-control-regex
  if (/[\r\n\u0000]/.test(name)) return { problem: 'has a display name with a line break or NUL' };
  if (options.smtpUtf8 !== true && !ASCII.test(email)) {
    if (options.downgrade !== true) return { problem: BEYOND_ASCII };
    return { text: `${encodeWords(name === '' ? email : `${name} <${email}>`, MAX_FIELD_NAME)} :;` };
  }
  return { text: name === '' ? email : `${formatPhrase(name)} <${email}>` };
}

/** One field of addresses or phrases that are formatted already, folded after the commas, without CRLF at its end. */
export function joinAddresses(name: string, texts: readonly string[]): string {
  let header = `${name}: `;
  let column = header.length;
  texts.forEach((given, index) => {
    const text = given + (index < texts.length - 1 ? ',' : '');
    if (index > 0) {
      const folds = column + 1 + firstLine(text).length > MAX_LINE;
      header += folds ? '\r\n ' : ' ';
      column = folds ? 1 : column + 1;
    }
    header += text;
    column = text.includes('\r\n') ? text.length - text.lastIndexOf('\n') : column + text.length;
  });
  return header;
}

function formatPhrase(name: string): string {
  // A name that looks like an encoded word is literal text, so it is encoded itself.
  if (!ASCII.test(name) || name.includes('=?') || name.length > MAX_QUOTED) {
    return encodeWords(name, MAX_FIELD_NAME);
  }
  if (/^[\w!#$%&'*+\-/=?^`{|}~]+(?: [\w!#$%&'*+\-/=?^`{|}~]+)*$/.test(name)) return name;
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}

function firstLine(text: string): string {
  const end = text.indexOf('\r\n');
  return end < 0 ? text : text.slice(0, end);
}

const NO_LIST = 'must be a list of email addresses, such as Ann <ann@mail.test>, bob@mail.test';
// The most usual value needs no parsing.
const ONE_BARE = /^[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+$/;

/**
 * Writes a list of addresses that a person typed, unfolded. Well-formed ASCII stays as it is; names are encoded or
 * quoted where necessary.
 */
export function writeList(
  name: string,
  value: string,
  options: AddressOptions = {},
): { readonly line: string } | { readonly problem: string } {
  if (ONE_BARE.test(value) && parseEmailAddress(value).ok) return { line: `${name}: ${value}` };
  const texts: string[] = [];
  for (const piece of splitList(value) ?? [undefined]) {
    const written = piece === undefined ? { problem: NO_LIST } : writePiece(piece, options);
    if ('problem' in written) return written;
    texts.push(written.text);
  }
  return texts.length > 0 ? { line: joinAddresses(name, texts) } : { problem: NO_LIST };
}

/** Between two commas: a mailbox with the parts of a group around it. */
interface Piece {
  /** the name of a group that begins here */
  readonly group?: string | undefined;
  /** '' in an empty group */
  readonly mailbox: string;
  readonly inGroup: boolean;
  readonly endsGroup: boolean;
}

/** Splits at commas outside of quotes, comments and angle brackets. @returns undefined when these are not balanced */
function splitList(value: string): Piece[] | undefined {
  const pieces: Piece[] = [];
  let group: string | undefined;
  let inGroup = false;
  let start = 0;
  const end = (at: number, endsGroup: boolean): void => {
    const mailbox = value.slice(start, at).trim();
    if (mailbox !== '' || group !== undefined || endsGroup) {
      pieces.push({ group, mailbox, inGroup: inGroup || endsGroup, endsGroup });
    }
    group = undefined;
    start = at + 1;
  };
  const isSound = scan(value, (character, at) => {
    if (character === ',') end(at, false);
    if (character === ':') {
      if (inGroup) return false;
      inGroup = true;
      group = value.slice(start, at).trim();
      start = at + 1;
    } else if (character === ';') {
      if (!inGroup) return false;
      inGroup = false;
      end(at, true);
    }
    return true;
  });
  if (!isSound || inGroup) return undefined;
  end(value.length, false);
  return pieces;
}

/**
 * Visits the characters outside of quotes, comments and angle brackets.
 * @param visit of a character there; false ends it
 * @returns whether everything was balanced
 */
function scan(value: string, visit: (character: string, at: number) => boolean): boolean {
  let quoted = false;
  let angled = false;
  let depth = 0;
  for (let at = 0; at < value.length; at++) {
    const character = value.charAt(at);
    if ((quoted || depth > 0) && character === '\\') at += 1;
    else if (depth === 0 && character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (depth > 0) continue;
    else if (character === '<' && !angled) angled = true;
    else if (character === '>' && angled) angled = false;
    else if (character === '<' || character === '>') return false;
    else if (!angled && !visit(character, at)) return false;
    if (depth < 0) return false;
  }
  return !quoted && !angled && depth === 0;
}

function writePiece({ group, mailbox, inGroup, endsGroup }: Piece, options: AddressOptions): Formatted {
  // a group contains no other group
  const own = inGroup ? { ...options, downgrade: false } : options;
  const written = mailbox === '' ? { text: '' } : writeMailbox(mailbox, own);
  if ('problem' in written) return written;
  const named = group === undefined ? '' : `${formatGiven(group)}:`;
  const blank = named !== '' && written.text !== '' ? ' ' : '';
  return { text: `${named}${blank}${written.text}${endsGroup ? ';' : ''}` };
}

function writeMailbox(text: string, options: AddressOptions): Formatted {
  const { bare, comment } = withoutComments(text);
  const open = bare.lastIndexOf('<');
  const email = (open < 0 ? bare : bare.slice(open + 1, bare.lastIndexOf('>'))).trim();
  const phrase = open < 0 ? '' : bare.slice(0, open).trim();
  const read = parseEmailAddress(email);
  if (!read.ok || (open >= 0 && !bare.trimEnd().endsWith('>'))) return { problem: NO_LIST };
  if (/[<>]/.test(phrase.replace(QUOTED, ''))) return { problem: NO_LIST };
  if (ASCII.test(text) && text.length <= MAX_QUOTED && WELL_FORMED.test(phrase)) return { text };
  const address = ASCII.test(email) ? email : read.address.address;
  const given = phrase === '' ? comment : phrase;
  // an address that is not allowed here becomes a name, or is a problem
  if (needsSmtpUtf8(address) && options.smtpUtf8 !== true) {
    return formatMailbox({ email: address, name: decodedPhrase(given) }, options);
  }
  const name = formatGiven(given);
  return { text: name === '' ? address : `${name} <${address}>` };
}

const QUOTED = /"((?:[^"\\]|\\.)*)"/g;
// Atoms (with the dots that many programs leave outside of quotes) and quoted strings; each character fits one way only.
const WELL_FORMED = /^(?:[ \t]|"(?:[^"\\]|\\.)*"|[\w!#$%&'*+\-/=?^`{|}~.])*$/;

/** A typed phrase of atoms and quoted strings, in its permitted form. */
function formatGiven(phrase: string): string {
  if (ASCII.test(phrase) && phrase.length <= MAX_QUOTED && WELL_FORMED.test(phrase)) return phrase;
  return formatPhrase(decodedPhrase(phrase));
}

function decodedPhrase(phrase: string): string {
  const unquoted = phrase.replace(QUOTED, (_, quoted: string) => quoted.replace(/\\(.)/g, '$1'));
  return decodeWords(unquoted).replace(/\s+/g, ' ').trim();
}

/** @returns the text without its comments, and the first of them */
function withoutComments(text: string): { bare: string; comment: string } {
  if (!text.includes('(')) return { bare: text, comment: '' };
  let bare = '';
  let comment = '';
  let [quoted, depth, start] = [false, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const piece = character === '\\' ? text.slice(at, ++at + 1) : character;
    if (depth === 0 && character === '"') quoted = !quoted;
    if (!quoted && character === '(' && depth++ === 0) start = at + 1;
    if (depth === 0) bare += piece;
    if (!quoted && character === ')' && --depth === 0) comment ||= text.slice(start, at).trim();
  }
  return { bare, comment };
}
