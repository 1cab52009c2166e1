import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountChanged, type EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type Consumer } from '@postmesh/service-host';
import { FreeDomains } from './free-domains.js';

/** Of all that befalls accounts only their end matters here, and it is final: order and repetition change nothing. */
@Injectable()
export class OnAccountChanged implements Consumer<typeof AccountChanged> {
  constructor(
    private readonly free: FreeDomains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(AccountChanged, 'domains.account-changes')
  async handle(tx: EntityManager, events: EventOf<typeof AccountChanged>[]): Promise<void> {
    const deleted = events
      .map(({ data }) => data)
      .filter(({ state }) => state === 'deleted')
      .map(({ account_id }) => account_id);
    for (const accountId of new Set(deleted)) {
      const freed = await this.free.execute(tx, accountId);
      this.logger.info({ account_id: accountId, freed }, 'domains of a deleted account freed');
    }
  }
}
