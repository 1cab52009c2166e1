import type { SmtpReply } from './smtp-reply.js';

/** What a server offers in its answer to EHLO (RFC 5321 §4.1.1.1). */
export interface Capabilities {
  readonly starttls: boolean;
  readonly pipelining: boolean;
  readonly eightBitMime: boolean;
  readonly smtpUtf8: boolean;
  /** SIZE is known; messages may be announced with it */
  readonly size: boolean;
  /** largest message that the server takes, bytes; undefined = it does not say */
  readonly largestMessage: number | undefined;
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
  largestMessage: undefined,
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
    largestMessage: Number.isSafeInteger(size) && size > 0 ? size : undefined,
    auth: offers.get('AUTH') ?? [],
  };
}
