import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RemoveDomains } from '../delete-domain/remove-domains.js';
import { lockDomainsOf } from '../sending-domain/domain-locks.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';

// An account may have 10,000 domains: each transaction stays short.
const BATCH = 200;

/** A deleted account's domains are free for others (spec 1-platform §10.4 rule 5), paused ones too. */
@Injectable()
export class FreeDomains {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly removal: RemoveDomains,
  ) {}

  /** May run any number of times. @returns how many domains were deleted */
  async execute(accountId: string): Promise<number> {
    await this.close(accountId);
    let freed = 0;
    for (;;) {
      const some = await this.freeSome(accountId);
      freed += some;
      if (some < BATCH) return freed;
    }
  }

  /** Whoever adds a domain has done so before, or is refused: what is found afterwards is all there is. */
  private async close(accountId: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await lockDomainsOf(manager, accountId);
      await manager.query('insert into deleted_accounts (account_id) values ($1) on conflict do nothing', [
        accountId,
      ]);
    });
  }

  private freeSome(accountId: string): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const domains = await this.domains.lockSome(manager, accountId, BATCH);
      await this.removal.execute(manager, domains);
      return domains.length;
    });
  }
}
