import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountChanged, AccountId, type EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type Consumer } from '@postmesh/service-host';
import { ReleaseDomains } from './release-domains.js';

/** Of all states of an account only deleted matters here, and it is final: order and repetition change nothing. */
@Injectable()
export class OnAccountChanged implements Consumer<typeof AccountChanged> {
  constructor(
    private readonly releaseDomains: ReleaseDomains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(AccountChanged, 'domains.account-changes')
  async handle(tx: EntityManager, events: EventOf<typeof AccountChanged>[]): Promise<void> {
    const deleted = events.map(({ data }) => data).filter(({ state }) => state === 'deleted');
    for (const [id, { revision }] of new Map(deleted.map((fact) => [fact.account_id, fact]))) {
      const released = await this.releaseDomains.execute(tx, AccountId.parse(id), revision);
      const line = { event: 'domains.released', account_id: id, released };
      this.logger.info(line, 'domains of a deleted account released');
    }
  }
}
