import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@postmesh/concurrency';
import type { AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { DOMAIN_FACTS_USABLE_MS, DomainFacts } from './events/domain-changed.v1.js';

const MAX_DOMAINS = 10_000;

/** Facts, and the time of their request by the monotonic clock, ms. */
interface Asked {
  readonly facts: DomainFacts | undefined;
  readonly at: number;
}

/**
 * Facts about sending domains as their owner, the domains service, knows them now. Those of a domain that can send are
 * usable for `DOMAIN_FACTS_USABLE_MS`, so that a deletion or a pause holds from its response on; a domain that cannot send
 * is looked up each time, so that one verified by check-dns can send in the very next request (architecture §2).
 */
@Injectable()
export class DomainDirectory {
  private readonly sendable = new LRUCache<string, Asked>({ max: MAX_DOMAINS });
  private readonly lookUps = new SingleFlight<string, Asked>();
  private changes = 0;

  constructor(private readonly client: InternalClient) {}

  /** @returns undefined when the account does not own the domain */
  async find(accountId: AccountId, domain: string): Promise<DomainFacts | undefined> {
    const oldest = performance.now() - DOMAIN_FACTS_USABLE_MS;
    const key = keyOf(accountId, domain);
    const known = this.sendable.get(key);
    if (known && known.at >= oldest) return known.facts;
    const ask = () => this.lookUps.run(key, () => this.lookUp(key, accountId, domain));
    const asked = await ask();
    // this call joined a look-up that had begun long before; the next one began after it
    return asked.at >= oldest ? asked.facts : (await ask()).facts;
  }

  /** For how long `find` gives the same facts without a look-up, ms: a cache of what follows from them ends with them. */
  usableMs(accountId: AccountId, domain: string): number {
    const known = this.sendable.get(keyOf(accountId, domain));
    return known ? Math.max(0, known.at + DOMAIN_FACTS_USABLE_MS - performance.now()) : 0;
  }

  /** The domain changed: the next send looks it up again. */
  forget(accountId: string, domain: string): void {
    const key = keyOf(accountId, domain);
    this.changes += 1;
    this.sendable.delete(key);
    this.lookUps.forget(key);
  }

  private async lookUp(key: string, accountId: AccountId, domain: string): Promise<Asked> {
    const { changes } = this;
    const at = performance.now();
    const path = `/internal/accounts/${accountId}/domains/${encodeURIComponent(domain)}`;
    const facts = await this.client.request('domains', { method: 'GET', path }, DomainFacts);
    // a response in flight during any change may be older than the change
    const isUsable = facts?.dns_valid && !facts.paused && changes === this.changes;
    const asked = { facts, at };
    if (isUsable) this.sendable.set(key, asked);
    return asked;
  }
}

const keyOf = (accountId: string, domain: string): string => `${accountId}/${domain}`;
