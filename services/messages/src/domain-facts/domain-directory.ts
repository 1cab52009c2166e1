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
    const running = this.asked.get(key) ?? this.ask(key, accountId, domain);
    return running;
  }

  /** Something about the domain changed: the next send asks again. */
  forget(accountId: string, domain: string): void {
    this.known.delete(`${accountId}/${domain}`);
  }

  private ask(key: string, accountId: string, domain: string): Promise<DomainFacts | undefined> {
    const asking = this.client
      .request(
        'domains',
        { method: 'GET', path: `/internal/accounts/${accountId}/domains/${encodeURIComponent(domain)}` },
        DomainFacts,
      )
      .then((facts) => this.remember(key, facts))
      .finally(() => this.asked.delete(key));
    this.asked.set(key, asking);
    return asking;
  }

  private remember(key: string, facts: DomainFacts | undefined): DomainFacts | undefined {
    if (this.known.size >= CACHE_SIZE) this.known.clear();
    if (facts?.dns_valid && !facts.paused) this.known.set(key, { facts, until: Date.now() + REMEMBER_MS });
    else this.known.delete(key);
    return facts;
  }
}
