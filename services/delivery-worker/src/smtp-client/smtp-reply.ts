/** One reply of a server (RFC 5321 §4.2), its lines without code and separator. */
export interface SmtpReply {
  readonly code: number;
  readonly lines: readonly string[];
}

/** A reply as it is kept with an attempt (spec 2-messages §19.1). */
export interface DescribedReply {
  readonly smtpCode: number;
  readonly enhancedStatusCode?: string | undefined;
  readonly response: string;
}

const ENHANCED = /^([245])\.(\d{1,3})\.(\d{1,3})(?=\s|$)/;
// Enough for every sentence that a person wants to read; some servers send pages.
const LONGEST_RESPONSE = 1_000;

/**
 * Takes the enhanced status code (RFC 2034) out of the text: servers repeat it on every line. One whose class
 * does not fit the reply code is text like any other.
 */
export function describeReply(reply: SmtpReply): DescribedReply {
  const kind = String(Math.floor(reply.code / 100));
  const found = reply.lines.map((line) => ENHANCED.exec(line)).find((match) => match?.[1] === kind)?.[0];
  const text = reply.lines
    .map((line) => (found !== undefined && line.startsWith(found) ? line.slice(found.length) : line).trim())
    .filter((line) => line !== '')
    .join(' ');
  return { smtpCode: reply.code, enhancedStatusCode: found, response: text.slice(0, LONGEST_RESPONSE) };
}

export function isPositive(reply: SmtpReply): boolean {
  return reply.code >= 200 && reply.code < 300;
}
