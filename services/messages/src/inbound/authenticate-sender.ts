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

// The remote server waits for the reply to its message; it has minutes, but its connection is one of few.
const MAX_MS = 5_000;
const QUERY_MS = 1_500;
const TRIES = 2;
// A message with three signatures asks some ten times, its SPF ten times more.
const MAX_QUERIES = 80;
// Each may cost a hash of the whole message. Real mail has up to five.
const MAX_SIGNATURES = 10;
const MAX_HEADER_BYTES = 256 * 1024;
// Some 2 ms of this process; in between others have their turn.
const SLICE_BYTES = 128 * 1024;

export interface SenderToJudge {
  raw: Buffer;
  headers: HeaderBlock;
  /** of our MX host: the name under which the result stands */
  host: string;
  sender: string;
  ip: string;
  helo: string;
}

type Verdict = 'judged' | 'late' | 'failed' | 'skipped';

/** SPF, DKIM, DMARC and ARC of an inbound message (RFC 7208, 6376, 7489, 8617), as the field that says so. */
@Injectable()
export class AuthenticateSender {
  /** for all questions of a message together; tests shorten it */
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

  /** @returns `Authentication-Results: …`, folded, without a line end. Never fails: what cannot be found out in time is a temporary error */
  async execute(message: SenderToJudge): Promise<string> {
    const [outcome, field] = await this.judge(message);
    this.verdicts.inc({ outcome });
    return field;
  }

  private async judge(message: SenderToJudge): Promise<[Verdict, string]> {
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
        'a sender could not be checked',
      );
      return ['failed', without(host, 'temperror')];
    } finally {
      // what still runs after the time is over ends with its next question
      resolver.cancel();
    }
  }

  /** One per message, so that its questions can be ended with it. */
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
): Promise<string> {
  // loaded with the first message: a fifth of a second of a processor, which most processes never need
  const { authenticate } = await import('mailauth');
  const { headers: fields } = await authenticate(
    Readable.from(slicesOf(raw, headers), { objectMode: false }),
    {
      ip,
      helo: helo || ip,
      sender,
      mta: host,
      disableBimi: true,
      resolver: boundedResolver(dns),
    },
  );
  const field = fields.slice(fields.indexOf('Authentication-Results:')).trimEnd();
  return field.replace(/[^\t\r\n\x20-\x7e]/g, '?');
}

/** The message without the signatures beyond the bound, in slices between which others have their turn. */
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

function boundedResolver(dns: Resolver) {
  let queries = 0;
  return async (name: string, type: string): Promise<string[][] | string[]> => {
    if (++queries > MAX_QUERIES) throw Object.assign(new Error('too many DNS queries'), { code: 'ETIMEOUT' });
    return (await dns.resolve(name, type)) as string[][] | string[];
  };
}

/** Without a check of its own: what was not done, or could not be done now. */
const without = (host: string, result: 'none' | 'temperror'): string =>
  writeField({
    name: 'Authentication-Results',
    value: `${host}; dkim=${result}; spf=${result}; dmarc=${result}`,
  });
