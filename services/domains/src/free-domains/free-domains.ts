import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RemoveDomains } from '../delete-domain/remove-domains.js';
import { lockDomainsOf } from '../sending-domain/domain-locks.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';

// An account may have 10,000 domains: each statement stays short.
const BATCH = 200;

/** A deleted account's domains are free for others (spec 1-platform §10.4 rule 5), paused ones too. */
@Injectable()
export class FreeDomains {
  constructor(
    private readonly domains: SendingDomains,
    private readonly removal: RemoveDomains,
  ) {}

  /** May run any number of times. @returns how many domains were deleted */
  async execute(tx: EntityManager, accountId: string): Promise<number> {
    await this.close(tx, accountId);
    let freed = 0;
    for (;;) {
      const some = await this.freeSome(tx, accountId);
      freed += some;
      if (some < BATCH) return freed;
    }
  }

  /** Whoever adds a domain has done so before, or is refused: what is found afterwards is all there is. */
  private async close(tx: EntityManager, accountId: string): Promise<void> {
    await lockDomainsOf(tx, accountId);
    await tx.query('insert into deleted_accounts (account_id) values ($1) on conflict do nothing', [
      accountId,
    ]);
  }

  private async freeSome(tx: EntityManager, accountId: string): Promise<number> {
    const domains = await this.domains.lockSome(tx, accountId, BATCH);
    await this.removal.execute(tx, domains);
    return domains.length;
  }
}
