import { firstAddress, readHeaders } from '@postmesh/mail-format';

// Real headers have some kilobytes. A longer header is stored too, but forged trace fields in it are not removed.
const MAX_HEADER_BYTES = 1024 * 1024;
// RFC 5322 §2.1.1, and wider than any list column.
const MAX_TEXT = 998;

/** One header field with its line ends; bytes as Latin-1. */
export interface HeaderLine {
  /** in lower case; empty when it is no header field */
  name: string;
  text: string;
}

/** The end of the header section, and its fields with all their bytes. */
export interface HeaderBlock {
  lines: HeaderLine[];
  /** offset of the empty line, or of the rest of a header that is too long */
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
 * A field that forges our name in Authentication-Results: such fields are removed before ours is added
 * (RFC 8601 §5).
 */
export function isForgedResult({ name, text }: HeaderLine, authservId: string): boolean {
  if (name !== 'authentication-results') return false;
  const value = text.slice(text.indexOf(':') + 1).replace(/\s+/g, ' ');
  const withoutComments = value.replace(/\([^()]*\)/g, ' ').trim();
  const id = /^"?([^\s;"]*)/.exec(withoutComments)?.[1] ?? '';
  return id.toLowerCase() === authservId.toLowerCase();
}

/** The columns of a message in lists. */
export interface InboundSummary {
  /** addr-spec of the author; empty when there is none */
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
