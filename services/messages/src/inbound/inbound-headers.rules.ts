import { firstAddress, readHeaders } from '@postmesh/mail-format';

// Real headers have some kilobytes. What is longer is stored, too, but its trace is not cleaned.
const MAX_HEADER_BYTES = 1024 * 1024;
// RFC 5322 §2.1.1, and more than any list column is wide.
const MAX_TEXT = 998;

/** One header field with its line ends; bytes as Latin-1. */
export interface HeaderLine {
  /** in lower case; empty when it is no header field */
  name: string;
  text: string;
}

/** Where the header ends, and its fields with every byte of them. */
export interface HeaderBlock {
  lines: HeaderLine[];
  /** of the empty line, or of what follows a header that is too long */
  bodyAt: number;
  /** it begins with a header field */
  isReadable: boolean;
}

export function readHeaderBlock(raw: Buffer): HeaderBlock {
  const end = endOfHeader(raw.subarray(0, MAX_HEADER_BYTES));
  const text = raw.toString('latin1', 0, end);
  const lines = text === '' ? [] : text.split(/(?<=\n)(?![ \t])/).map(toLine);
  return { lines, bodyAt: end, isReadable: lines[0] !== undefined && lines[0].name !== '' };
}

function toLine(text: string): HeaderLine {
  const colon = text.slice(0, 100).search(/[ \t]*:/);
  const name = colon > 0 ? text.slice(0, colon) : '';
  return { name: /^[\x21-\x7e]+$/.test(name) ? name.toLowerCase() : '', text };
}

function endOfHeader(head: Buffer): number {
  if (/^\r?\n/.test(head.toString('latin1', 0, 2))) return 0;
  const bare = head.indexOf('\n\n', 0, 'latin1');
  const crlf = (bare < 0 ? head : head.subarray(0, bare + 1)).indexOf('\n\r\n', 0, 'latin1');
  if (crlf >= 0) return crlf + 1;
  return bare >= 0 ? bare + 1 : head.length;
}

/**
 * Of somebody who writes our name into Authentication-Results, nobody believes anything any more: such fields are
 * removed before ours is added (RFC 8601 §5).
 */
export function isForgedResult({ name, text }: HeaderLine, authservId: string): boolean {
  if (name !== 'authentication-results') return false;
  const value = text.slice(text.indexOf(':') + 1).replace(/\s+/g, ' ');
  const withoutComments = value.replace(/\([^()]*\)/g, ' ').trim();
  const id = /^"?([^\s;"]*)/.exec(withoutComments)?.[1] ?? '';
  return id.toLowerCase() === authservId.toLowerCase();
}

/** What a list shows of a message. */
export interface InboundSummary {
  /** bare address of the author; empty when there is none */
  author: string;
  /** encoded words decoded */
  subject: string;
  /** with angle brackets; empty when there is none */
  messageId: string;
}

export function summaryOf(raw: Buffer): InboundSummary {
  const { fields } = readHeaders(raw);
  const messageId = /<[^<>\s]+>/.exec(fields.first('message-id') ?? '')?.[0] ?? '';
  return {
    author: (firstAddress(fields.first('from') ?? '') ?? '').slice(0, MAX_TEXT),
    subject: (fields.words('subject') ?? '').slice(0, MAX_TEXT),
    messageId: messageId.slice(0, MAX_TEXT),
  };
}
