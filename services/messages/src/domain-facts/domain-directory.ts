import { Injectable } from '@nestjs/common';
import { DomainFacts } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';

// A domain that can send is remembered this long; one that cannot is asked about each time, so that a
// domain verified by check-dns can send in the very next request (architecture §2).
const REMEMBER_MS = 2_000;
const CACHE_SIZE = 10_000;

/** Facts about sending domains as their owner, the domains service, knows them now. */
@Injectable()
export class DomainDirectory {
  private readonly known = new Map<string, { facts: DomainFacts; until: number }>();
  private readonly asked = new Map<string, Promise<DomainFacts | undefined>>();

  constructor(private readonly client: InternalClient) {}

  /** @returns undefined when the account does not own the domain */
  async find(accountId: string, domain: string): Promise<DomainFacts | undefined> {
    const key = `${accountId}/${domain}`;
    const known = this.known.get(key);
    if (known && known.until > Date.now()) return known.facts;
    return this.asked.get(key) ?? this.ask(key, accountId, domain);
  }

  /** Something about the domain changed: the next send asks again. */
  forget(accountId: string, domain: string): void {
    const key = `${accountId}/${domain}`;
    this.known.delete(key);
    // an answer that is on its way may be older than the change
    this.asked.delete(key);
  }

  private ask(key: string, accountId: string, domain: string): Promise<DomainFacts | undefined> {
    const path = `/internal/accounts/${accountId}/domains/${encodeURIComponent(domain)}`;
    const asking = this.client.request('domains', { method: 'GET', path }, DomainFacts).then(
      (facts) => {
        if (this.asked.get(key) === asking) this.remember(key, facts);
        return facts;
      },
      (error: unknown) => {
        if (this.asked.get(key) === asking) this.asked.delete(key);
        throw error;
      },
    );
    this.asked.set(key, asking);
    return asking;
  }

  private remember(key: string, facts: DomainFacts | undefined): void {
    this.asked.delete(key);
    this.known.delete(key);
    if (facts?.dns_valid && !facts.paused) this.known.set(key, { facts, until: Date.now() + REMEMBER_MS });
    for (const oldest of this.known.keys()) {
      if (this.known.size <= CACHE_SIZE) break;
      this.known.delete(oldest);
    }
  }
}
