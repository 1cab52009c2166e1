import { Resolver } from 'node:dns/promises';
import { setImmediate as breathe } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { TimeoutError, withTimeout } from '@postmesh/concurrency';
import { writeField } from '@postmesh/mail-format';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { HeaderBlock } from './inbound-headers.rules.js';

// The remote server waits minutes for the reply to its message, but its connection is one of few.
const MAX_MS = 5_000;
const QUERY_MS = 1_500;
const TRIES = 2;
// A message with three signatures needs about ten queries, its SPF ten more.
const MAX_QUERIES = 80;
// Each may need a hash of the whole message. Real mail has up to five.
const MAX_SIGNATURES = 10;
const MAX_HEADER_BYTES = 256 * 1024;
// About 2 ms of this process; other work runs in between.
const SLICE_BYTES = 128 * 1024;

export interface SenderToJudge {
  raw: Buffer;
  headers: HeaderBlock;
  /** of our MX host: the authserv-id of the result */
  host: string;
  sender: string;
  ip: string;
  helo: string;
}

type Verdict = 'judged' | 'late' | 'failed' | 'skipped';

/** Results of the checks, apart from their text, in which a sender has words of its own. */
export interface SenderProof {
  /** `none`: the domain of the author publishes no policy */
  dmarc: string;
  /** domains that SPF or a signature has proved */
  provenDomains: readonly string[];
}

interface Judged {
  /** `Authentication-Results: …`, folded, without a line end */
  field: string;
  proof: SenderProof;
}

const UNPROVEN = {
  none: { dmarc: 'none', provenDomains: [] },
  temperror: { dmarc: 'temperror', provenDomains: [] },
};

/** SPF, DKIM, DMARC and ARC of an inbound message (RFC 7208, 6376, 7489, 8617), as its Authentication-Results field. */
@Injectable()
export class AuthenticateSender {
  /** for all queries of a message together; tests shorten it */
  maxMs = MAX_MS;
  private readonly verdicts;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.verdicts = metrics.counter(
      'postmesh_inbound_authentications_total',
      'Inbound messages whose sender was checked by SPF, DKIM and DMARC, by how that ended',
      ['outcome'],
    );
  }

  /**
   * @returns `Authentication-Results: …`, folded, without a line end. Never fails: checks beyond the time are a
   * temporary error
   */
  async execute(message: SenderToJudge): Promise<string> {
    return (await this.check(message)).field;
  }

  /** The same checks for our own decisions. Never fails: a check beyond the time is `temperror`. */
  async prove(message: Omit<SenderToJudge, 'host'>): Promise<SenderProof> {
    return (await this.check({ ...message, host: `mx.${this.settings.serviceZone}` })).proof;
  }

  /** @returns SPF's result for an address that sends with a return path of this domain; `temperror` beyond the time */
  async spfOf(domain: string, ip: string): Promise<string> {
    const resolver = this.newResolver();
    try {
      const { spf } = await import('mailauth');
      const about = { sender: `postmaster@${domain}`, ip, helo: domain, mta: domain };
      const asked = spf({ ...about, resolver: boundedResolver(resolver) });
      const result = await withTimeout(asked, this.maxMs, 'SPF of a source');
      return result ? result.status.result : 'none';
    } catch (error) {
      this.logger.info(
        { event: 'domain_report.spf_failed', err: error },
        'SPF of a source was not looked up',
      );
      return 'temperror';
    } finally {
      resolver.cancel();
    }
  }

  private async check(message: SenderToJudge): Promise<Judged> {
    const [outcome, judged] = await this.judge(message);
    this.verdicts.inc({ outcome });
    return judged;
  }

  private async judge(message: SenderToJudge): Promise<[Verdict, Judged]> {
    const { headers, host } = message;
    if (!headers.isReadable || headers.bodyAt > MAX_HEADER_BYTES) return ['skipped', without(host, 'none')];
    const resolver = this.newResolver();
    try {
      return [
        'judged',
        await withTimeout(judge(message, resolver), this.maxMs, 'authentication of a sender'),
      ];
    } catch (error) {
      if (error instanceof TimeoutError) return ['late', without(host, 'temperror')];
      this.logger.warn(
        { event: 'inbound.authentication_failed', err: error },
        'sender authentication failed, result is temperror',
      );
      return ['failed', without(host, 'temperror')];
    } finally {
      // a check that still runs after the time ends with its next query
      resolver.cancel();
    }
  }

  /** One per message, so that its queries can be cancelled with it. */
  private newResolver(): Resolver {
    const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
    const { dnsServers } = this.settings;
    if (dnsServers.length > 0) resolver.setServers(dnsServers);
    return resolver;
  }
}

async function judge(
  { raw, headers, host, sender, ip, helo }: SenderToJudge,
  dns: Resolver,
): Promise<Judged> {
  // loaded with the first message: a fifth of a second of a processor, which most processes do not need
  const { authenticate } = await import('mailauth');
  const {
    headers: fields,
    spf,
    dkim,
    dmarc,
  } = await authenticate(Readable.from(slicesOf(raw, headers), { objectMode: false }), {
    ip,
    helo: helo || ip,
    sender,
    mta: host,
    disableBimi: true,
    resolver: boundedResolver(dns),
  });
  const field = fields.slice(fields.indexOf('Authentication-Results:')).trimEnd();
  const signers = dkim.results.filter(({ status }) => status.result === 'pass');
  return {
    field: field.replace(/[^\t\r\n\x20-\x7e]/g, '?'),
    proof: {
      dmarc: dmarc ? dmarc.status.result : 'none',
      provenDomains: [
        ...(spf && spf.status.result === 'pass' ? [spf.domain] : []),
        ...signers.map(({ signingDomain }) => signingDomain),
      ].filter((domain) => domain !== undefined),
    },
  };
}

/** The message without the signatures above the bound, in slices so that other work can run in between. */
async function* slicesOf(raw: Buffer, { lines, bodyAt }: HeaderBlock): AsyncGenerator<Buffer> {
  const seen = new Map<string, number>();
  const kept = lines.filter(({ name }) => {
    if (name !== 'dkim-signature' && name !== 'arc-message-signature') return true;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count <= MAX_SIGNATURES;
  });
  yield Buffer.from(kept.map(({ text }) => text).join(''), 'latin1');
  for (let at = bodyAt; at < raw.length; at += SLICE_BYTES) {
    yield raw.subarray(at, at + SLICE_BYTES);
    await breathe();
  }
}

// mailauth takes any other failure in an SPF include for a record that does not match.
const KNOWN_FAILURES: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'ETIMEOUT'];

function boundedResolver(dns: Resolver) {
  let queries = 0;
  return async (name: string, type: string): Promise<string[][] | string[]> => {
    if (++queries > MAX_QUERIES) throw timedOut('too many DNS queries');
    try {
      return (await dns.resolve(name, type)) as string[][] | string[];
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw KNOWN_FAILURES.includes(code) ? error : timedOut(message);
    }
  };
}

const timedOut = (message: string): Error => Object.assign(new Error(message), { code: 'ETIMEOUT' });

/** The field without a check: none was made, or it failed temporarily. */
const without = (host: string, result: 'none' | 'temperror'): Judged => ({
  field: writeField({
    name: 'Authentication-Results',
    value: `${host}; dkim=${result}; spf=${result}; dmarc=${result}`,
  }),
  proof: UNPROVEN[result],
});
