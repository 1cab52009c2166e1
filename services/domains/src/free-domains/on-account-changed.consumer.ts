import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AccountChanged, type EventEnvelope } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Hears, LOGGER } from '@postmesh/service-host';
import { FreeDomains } from './free-domains.js';

/** Of all that befalls accounts only their end matters here, and it is final: order and repetition change nothing. */
@Controller()
export class OnAccountChanged {
  constructor(
    private readonly free: FreeDomains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Hears(AccountChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const facts = events.map((event) => AccountChanged.parse(event).data);
    const deleted = facts.filter(({ state }) => state === 'deleted').map(({ account_id }) => account_id);
    for (const accountId of new Set(deleted)) {
      const freed = await this.free.execute(accountId);
      this.logger.info({ account_id: accountId, freed }, 'domains of a deleted account freed');
    }
  }
}
