/** One reply of a server (RFC 5321 §4.2), its lines without code and separator. */
export interface SmtpReply {
  readonly code: number;
  readonly lines: readonly string[];
}

export function isPositive(reply: SmtpReply): boolean {
  return reply.code >= 200 && reply.code < 300;
}

/** The server sent something that is not SMTP: the connection cannot be used any more. */
export class ProtocolViolation extends Error {}

// RFC 5321 §4.5.3.1.5 says 512 bytes a line; real servers go beyond it, hostile ones without end.
const MAX_LINE_BYTES = 2_048;
const MAX_LINES = 200;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const HYPHEN = 0x2d;

/** Parses the bytes of a server into replies. The length of a line and the lines of a reply are bounded. */
export class ReplyParser {
  private rest: Buffer | undefined;
  private code = 0;
  private lines: string[] = [];

  /**
   * @returns the replies that are complete with these bytes
   * @throws ProtocolViolation when they are not SMTP
   */
  push(chunk: Buffer): SmtpReply[] {
    const data = this.rest === undefined ? chunk : Buffer.concat([this.rest, chunk]);
    const replies: SmtpReply[] = [];
    let start = 0;
    for (let end = data.indexOf(LF); end >= 0; end = data.indexOf(LF, start)) {
      const reply = this.line(data, start, end > start && data[end - 1] === CR ? end - 1 : end);
      if (reply !== undefined) replies.push(reply);
      start = end + 1;
    }
    if (data.length - start > MAX_LINE_BYTES) throw new ProtocolViolation('a reply line is too long');
    // Copied, so that a few bytes do not keep the whole chunk alive.
    this.rest = start < data.length ? Buffer.from(data.subarray(start)) : undefined;
    return replies;
  }

  /** No part of a next reply was received. */
  get empty(): boolean {
    return this.rest === undefined && this.lines.length === 0;
  }

  private line(data: Buffer, start: number, end: number): SmtpReply | undefined {
    if (end - start > MAX_LINE_BYTES) throw new ProtocolViolation('a reply line is too long');
    const code = readCode(data, start, end);
    const separator = end - start > 3 ? data[start + 3] : SPACE;
    if (code === undefined || (separator !== SPACE && separator !== HYPHEN)) {
      throw new ProtocolViolation(
        `not an SMTP reply: ${printable(data.toString('latin1', start, Math.min(end, start + 80)))}`,
      );
    }
    if (this.lines.length > 0 && code !== this.code) throw new ProtocolViolation('a reply changes its code');
    if (this.lines.length >= MAX_LINES) throw new ProtocolViolation('a reply has too many lines');
    this.code = code;
    this.lines.push(printable(data.toString('utf8', Math.min(start + 4, end), end)));
    if (separator === HYPHEN) return undefined;
    const reply = { code, lines: this.lines };
    this.lines = [];
    return reply;
  }
}

/** Three digits, the first one 2 to 5. */
function readCode(data: Buffer, start: number, end: number): number | undefined {
  if (end - start < 3) return undefined;
  let code = 0;
  for (let at = start; at < start + 3; at++) {
    const digit = (data[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    code = code * 10 + digit;
  }
  return code >= 200 && code < 600 ? code : undefined;
}

function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(text) ? text.replace(/[\u0000-\u001f\u007f]+/g, ' ') : text;
}

/** The extensions that a server offers in its reply to EHLO (RFC 5321 §4.1.1.1). */
export interface Capabilities {
  readonly starttls: boolean;
  readonly pipelining: boolean;
  readonly eightBitMime: boolean;
  readonly smtpUtf8: boolean;
  /** SIZE is known; messages may be announced with it */
  readonly size: boolean;
  /** largest message that the server takes; undefined = it does not say */
  readonly maxMessageBytes: number | undefined;
  /** mechanisms, upper case */
  readonly auth: readonly string[];
}

/** After HELO: nothing is offered. */
export const NO_CAPABILITIES: Capabilities = {
  starttls: false,
  pipelining: false,
  eightBitMime: false,
  smtpUtf8: false,
  size: false,
  maxMessageBytes: undefined,
  auth: [],
};

export function readCapabilities(reply: SmtpReply): Capabilities {
  const offers = new Map<string, string[]>();
  for (const line of reply.lines.slice(1)) {
    // `AUTH=LOGIN` is an old spelling of `AUTH LOGIN`.
    const [keyword = '', ...parameters] = line
      .trim()
      .replace(/^AUTH=/i, 'AUTH ')
      .toUpperCase()
      .split(/\s+/);
    offers.set(keyword, [...(offers.get(keyword) ?? []), ...parameters]);
  }
  const size = Number(offers.get('SIZE')?.[0]);
  return {
    starttls: offers.has('STARTTLS'),
    pipelining: offers.has('PIPELINING'),
    eightBitMime: offers.has('8BITMIME'),
    smtpUtf8: offers.has('SMTPUTF8'),
    size: offers.has('SIZE'),
    // RFC 1870 §4: 0 = no fixed limit.
    maxMessageBytes: Number.isSafeInteger(size) && size > 0 ? size : undefined,
    auth: offers.get('AUTH') ?? [],
  };
}
