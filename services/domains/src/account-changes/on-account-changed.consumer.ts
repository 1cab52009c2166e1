import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountChanged } from '@postmesh/accounts-contract';
import { AccountId, type EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type EventContext } from '@postmesh/service-host';
import { ReleaseDomains } from './release-domains.js';

/** Only the state deleted matters here, and it is final: order and repetition change nothing. */
@Controller()
export class OnAccountChanged {
  constructor(
    private readonly releaseDomains: ReleaseDomains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(AccountChanged, 'domains.account-changes')
  async handle(
    @Payload() events: EventOf<typeof AccountChanged>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    const deleted = events.map(({ data }) => data).filter(({ state }) => state === 'deleted');
    for (const [id, { revision }] of new Map(deleted.map((fact) => [fact.account_id, fact]))) {
      const released = await this.releaseDomains.execute(tx, AccountId.parse(id), revision);
      const line = { event: 'domains.released', account_id: id, released };
      this.logger.info(line, 'domains of a deleted account released');
    }
  }
}
