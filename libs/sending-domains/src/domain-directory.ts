import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@postmesh/concurrency';
import { DomainFacts, type AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';

// A domain that can send is remembered this long; one that cannot is looked up each time, so that a
// domain verified by check-dns can send in the very next request (architecture §2).
const REMEMBER_MS = 2_000;
const MAX_DOMAINS = 10_000;

/** Something about this domain changed. */
export type Forget = (accountId: string, domain: string) => void;

/** Facts about sending domains as their owner, the domains service, knows them now. */
@Injectable()
export class DomainDirectory {
  // without a resolution the cache starts a timer each time it reads the clock
  private readonly sendable = new LRUCache<string, DomainFacts>({
    max: MAX_DOMAINS,
    ttl: REMEMBER_MS,
    ttlResolution: 0,
  });
  private readonly lookUps = new SingleFlight<string, DomainFacts | undefined>();
  private changes = 0;
  private readonly followers: Forget[] = [];

  constructor(private readonly client: InternalClient) {}

  /** @returns undefined when the account does not own the domain */
  async find(accountId: AccountId, domain: string): Promise<DomainFacts | undefined> {
    const key = keyOf(accountId, domain);
    return this.sendable.get(key) ?? this.lookUps.run(key, () => this.lookUp(key, accountId, domain));
  }

  /** Something about the domain changed: the next send looks it up again. */
  forget(accountId: string, domain: string): void {
    const key = keyOf(accountId, domain);
    this.changes += 1;
    this.sendable.delete(key);
    this.lookUps.forget(key);
    for (const follow of this.followers) follow(accountId, domain);
  }

  /** For directories of processes that consume no events: they are to forget the same. */
  followedBy(follower: Forget): void {
    this.followers.push(follower);
  }

  private async lookUp(key: string, accountId: AccountId, domain: string): Promise<DomainFacts | undefined> {
    const { changes } = this;
    const path = `/internal/accounts/${accountId}/domains/${encodeURIComponent(domain)}`;
    const facts = await this.client.request('domains', { method: 'GET', path }, DomainFacts);
    // what was on its way while any domain changed may be older than the change
    if (facts?.dns_valid && !facts.paused && changes === this.changes) this.sendable.set(key, facts);
    return facts;
  }
}

const keyOf = (accountId: string, domain: string): string => `${accountId}/${domain}`;
