import { encodeWords, foldHeader, UnsafeMessage } from '../headers/header-field.js';

/** Address and display name. The address comes from `parseEmailAddress`. */
export interface Mailbox {
  readonly email: string;
  readonly name?: string | undefined;
}

// A quoted string may have no blank to fold at; a longer one could exceed the line limit of 998 characters.
const MAX_QUOTED = 200;
// Room on the first line for `Reply-To: `, so that a first encoded word fits behind it.
const MAX_ADDRESS_HEADER_NAME = 11;

/**
 * `Name <address>` for From, To, Cc, Reply-To (RFC 5322 §3.4): a phrase of atoms, a quoted string or RFC 2047
 * encoded words, as the name needs. Long names are folded.
 * @throws UnsafeMessage when name or address hold a line break, NUL, or the address a blank or angle bracket
 */
export function formatMailbox(mailbox: Mailbox): string {
  if (/[\s<>\p{Cc}]/u.test(mailbox.email) || !mailbox.email.includes('@')) {
    throw new UnsafeMessage('an address holds a line break, a blank or an angle bracket');
  }
  const name = mailbox.name?.trim() ?? '';
  // eslint-disable-next-line no-control-regex
  if (/[\r\n\u0000]/.test(name)) throw new UnsafeMessage('a display name holds a line break or NUL');
  return name === '' ? mailbox.email : `${formatPhrase(name)} <${mailbox.email}>`;
}

/** One address header, folded after the commas, without CRLF at its end. */
export function writeMailboxes(name: string, mailboxes: readonly Mailbox[]): string {
  let header = `${name}: `;
  let column = header.length;
  mailboxes.forEach((mailbox, index) => {
    const text = formatMailbox(mailbox) + (index < mailboxes.length - 1 ? ',' : '');
    if (index > 0) {
      const folds = column + 1 + firstLine(text).length > 78;
      header += folds ? '\r\n ' : ' ';
      column = folds ? 1 : column + 1;
    }
    header += text;
    column = text.includes('\r\n') ? text.length - text.lastIndexOf('\n') : column + text.length;
  });
  return foldHeader(header);
}

function formatPhrase(name: string): string {
  // A name that looks like an encoded word is literal text, so it is encoded itself.
  if (!/^[\x20-\x7e]*$/.test(name) || name.includes('=?') || name.length > MAX_QUOTED) {
    return encodeWords(name, MAX_ADDRESS_HEADER_NAME);
  }
  if (/^[\w!#$%&'*+\-/=?^`{|}~]+(?: [\w!#$%&'*+\-/=?^`{|}~]+)*$/.test(name)) return name;
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}

function firstLine(text: string): string {
  const end = text.indexOf('\r\n');
  return end < 0 ? text : text.slice(0, end);
}
