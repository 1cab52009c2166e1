import type { SmtpReply } from './smtp-reply.js';

/** The server does not speak SMTP, or not any more: the connection is of no further use. */
export class ProtocolViolation extends Error {}

// RFC 5321 §4.5.3.1.5 says 512 bytes a line; real servers go beyond it, hostile ones without end.
const LONGEST_LINE = 2_048;
const MOST_LINES = 200;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const HYPHEN = 0x2d;

/** Cuts the bytes of a server into replies. Bounded: a line and the lines of a reply only grow so far. */
export class ReplyParser {
  private rest: Buffer | undefined;
  private code = 0;
  private lines: string[] = [];

  /**
   * @returns the replies that are complete with these bytes
   * @throws ProtocolViolation when they are no SMTP
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
    if (data.length - start > LONGEST_LINE) throw new ProtocolViolation('a reply line is too long');
    // Copied, so that a few bytes do not keep the whole chunk alive.
    this.rest = start < data.length ? Buffer.from(data.subarray(start)) : undefined;
    return replies;
  }

  /** Nothing of a next reply has come yet. */
  get empty(): boolean {
    return this.rest === undefined && this.lines.length === 0;
  }

  private line(data: Buffer, start: number, end: number): SmtpReply | undefined {
    if (end - start > LONGEST_LINE) throw new ProtocolViolation('a reply line is too long');
    const code = readCode(data, start, end);
    const separator = end - start > 3 ? data[start + 3] : SPACE;
    if (code === undefined || (separator !== SPACE && separator !== HYPHEN)) {
      throw new ProtocolViolation(
        `not an SMTP reply: ${printable(data.toString('latin1', start, Math.min(end, start + 80)))}`,
      );
    }
    if (this.lines.length > 0 && code !== this.code) throw new ProtocolViolation('a reply changes its code');
    if (this.lines.length >= MOST_LINES) throw new ProtocolViolation('a reply has too many lines');
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
