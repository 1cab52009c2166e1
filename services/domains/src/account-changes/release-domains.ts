import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { DnsHostTokens } from '../dns-host-tokens/dns-host-tokens.repository.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';

// An account may have 10,000 domains: each statement stays short.
const BATCH = 200;

/** A deleted account's domains are free for others (spec 1-platform §10.4 rule 5), paused ones too; its tokens are gone. */
@Injectable()
export class ReleaseDomains {
  constructor(
    private readonly domains: SendingDomains,
    private readonly tokens: DnsHostTokens,
  ) {}

  /** May run any number of times. @returns how many domains were deleted */
  async execute(tx: EntityManager, accountId: AccountId, revision: number): Promise<number> {
    // a concurrent create has committed before, or gets an error: the domains found afterwards are all
    await this.domains.lockAccount(tx, accountId);
    await tx.query(
      `insert into account_states (account_id, state, revision, changed_at) values ($1, 'deleted', $2, now())
       on conflict do nothing`,
      [accountId, revision],
    );
    await this.tokens.removeAll(tx, accountId);
    let released = 0;
    for (;;) {
      const domains = await this.domains.lockSome(tx, accountId, BATCH);
      await this.domains.remove(tx, domains);
      released += domains.length;
      if (domains.length < BATCH) return released;
    }
  }
}
