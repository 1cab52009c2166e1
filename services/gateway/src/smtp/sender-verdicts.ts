import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { withTimeout } from '@postmesh/concurrency';
import type { KnownSmtpCredential } from '@postmesh/accounts-contract';
import { Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { SmtpVerdict, type Submitter } from '@postmesh/messages-contract';

const VERDICT_MS = 20_000;
const MAX_KNOWN = 5_000;

interface Allowed {
  /** the facts of the request: a change of the credential or its account is another object */
  readonly credential: KnownSmtpCredential;
  /** by the monotonic clock, ms */
  readonly until: number;
}

/**
 * Verdicts of the messages service on senders. A positive one is used again for as long as that service itself would use
 * the facts under it, counted from the request: a pause or a deletion holds at every MAIL from its response on.
 */
@Injectable()
export class SenderVerdicts {
  private readonly allowed = new LRUCache<string, Allowed>({ max: MAX_KNOWN });

  constructor(private readonly client: InternalClient) {}

  /** @throws Transient, ZodError when there is no verdict */
  async of(credential: KnownSmtpCredential, submitter: Submitter, sender: string): Promise<SmtpVerdict> {
    const key = `${credential.credential_id} ${sender}`;
    const known = this.allowed.get(key);
    const asked = performance.now();
    if (known?.credential === credential && known.until > asked) return { ok: true };
    const body = { submitter, sender };
    const request = { method: 'POST' as const, path: '/internal/submissions/senders', body };
    const answer = this.client.request('messages', request, SmtpVerdict);
    const verdict = await withTimeout(answer, VERDICT_MS, 'the verdict on a sender');
    if (!verdict) throw new Transient('the messages service does not know submissions');
    if (verdict.ok && verdict.usable_ms) {
      this.allowed.set(key, { credential, until: asked + verdict.usable_ms });
    }
    return verdict;
  }
}
