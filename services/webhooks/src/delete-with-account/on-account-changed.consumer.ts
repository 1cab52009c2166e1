import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { AccountChanged, type EventEnvelope } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Hears, LOGGER } from '@postmesh/service-host';
import { RemoveWebhooks } from '../manage-webhooks/remove-webhooks.js';
import { WebhooksRepository } from '../manage-webhooks/webhooks.repository.js';
import { recordEnd } from './account-end.js';

// No limit is set on how many an account has: each transaction stays short.
const BATCH = 500;

/**
 * The webhooks of a deleted account are deleted (spec 1-platform §10.4 rule 5); those of a suspended one go on
 * (rule 4). The end is final: order and repetition change nothing.
 */
@Controller()
export class OnAccountChanged {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly removal: RemoveWebhooks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Hears(AccountChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const facts = events.map((event) => AccountChanged.parse(event).data);
    const deleted = facts.filter(({ state }) => state === 'deleted').map(({ account_id }) => account_id);
    for (const accountId of new Set(deleted)) {
      await this.dataSource.transaction((manager) => recordEnd(manager, accountId));
      const removed = await this.removeAll(accountId);
      this.logger.info({ account_id: accountId, removed }, 'webhooks of a deleted account deleted');
    }
  }

  private async removeAll(accountId: string): Promise<number> {
    let removed = 0;
    for (;;) {
      const some = await this.removeSome(accountId);
      removed += some;
      if (some < BATCH) return removed;
    }
  }

  private removeSome(accountId: string): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const webhooks = await this.webhooks.holdSome(manager, accountId, BATCH);
      await this.removal.execute(manager, webhooks);
      return webhooks.length;
    });
  }
}
