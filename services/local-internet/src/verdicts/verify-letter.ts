import { domainToASCII } from 'node:url';
import { authenticate, type DNSResolver } from 'mailauth';
import type { NameService } from '../dns/name-service.js';
import type { Letter, Verdict } from '../letters/letter.js';
import { SINK_HOST } from '../dns/local-names.js';
import { letterResolver } from './letter-resolver.js';
import { verdictOf } from './verdict.rules.js';

export type VerifyLetter = (letter: Letter, raw: Buffer) => Promise<Verdict>;

/** Checks SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489) against our own zones. */
export function letterVerifier(names: NameService): VerifyLetter {
  // mailauth declares less than it takes: for MX it reads objects, as `dns.promises.resolve` gives them.
  const resolver = letterResolver(names) as DNSResolver;
  return async (letter, raw) =>
    verdictOf(
      await authenticate(raw, {
        sender: asciiDomain(letter.envelopeFrom),
        ip: letter.remoteAddress,
        helo: letter.helo,
        mta: SINK_HOST,
        resolver,
        disableArc: true,
        disableBimi: true,
      }),
    );
}

/** SPF looks at names on the wire; the envelope holds them as people read them. */
function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 0
    ? address
    : `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1)) || address.slice(at + 1)}`;
}
