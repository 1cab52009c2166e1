import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@postmesh/concurrency';
import { DomainOwners as Owners } from '@postmesh/domains-contract';
import type { InboundOwner } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';

// The same time as the cache of senders' domains. A domain without an owner is not cached, so that a new domain takes
// mail at once.
const REMEMBER_MS = 2_000;
const MAX_DOMAINS = 10_000;

/** The owners of a domain's inbound mail, as known by the domains service (ADR 49). */
@Injectable()
export class DomainOwners {
  // without a resolution the cache starts a timer each time it reads the clock
  private readonly known = new LRUCache<string, InboundOwner[]>({
    max: MAX_DOMAINS,
    ttl: REMEMBER_MS,
    ttlResolution: 0,
  });
  private readonly lookUps = new SingleFlight<string, ReadonlyMap<string, InboundOwner[]>>();
  private changes = 0;

  constructor(private readonly client: InternalClient) {}

  /** @returns owners by domain, without domains that have none. Throws Transient while the domains service is unavailable */
  async of(domains: readonly string[]): Promise<ReadonlyMap<string, InboundOwner[]>> {
    const found = new Map<string, InboundOwner[]>();
    const unknown: string[] = [];
    for (const domain of domains) {
      const owners = this.known.get(domain);
      if (owners) found.set(domain, owners);
      else unknown.push(domain);
    }
    if (unknown.length === 0) return found;
    const asked = await this.lookUps.run(unknown.join(' '), () => this.lookUp(unknown));
    return new Map([...found, ...asked]);
  }

  /** Removes domains from the cache after a change. */
  forget(domains: readonly string[]): void {
    this.changes += 1;
    for (const domain of domains) this.known.delete(domain);
    this.lookUps.forgetAll();
  }

  private async lookUp(domains: readonly string[]): Promise<ReadonlyMap<string, InboundOwner[]>> {
    const { changes } = this;
    const request = { method: 'POST' as const, path: '/internal/domains/owners', body: { domains } };
    const response = await this.client.request('domains', request, Owners);
    const byDomain = new Map<string, InboundOwner[]>(response?.owners.map(({ domain }) => [domain, []]));
    for (const owner of response?.owners ?? []) byDomain.get(owner.domain)?.push(owner);
    // an answer that was on its way during a change may be older than the change
    if (changes === this.changes) for (const [domain, owners] of byDomain) this.known.set(domain, owners);
    return byDomain;
  }
}
