import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AccountChanged, AccountId, type EventEnvelope } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Hears, LOGGER } from '@postmesh/service-host';
import { ReleaseDomains } from './release-domains.js';

/** Of all states of an account only deleted matters here, and it is final: order and repetition change nothing. */
@Controller()
export class OnAccountChanged {
  constructor(
    private readonly release: ReleaseDomains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Hears(AccountChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const facts = events.map((event) => AccountChanged.parse(event).data);
    const deleted = facts.filter(({ state }) => state === 'deleted');
    for (const [id, { revision }] of new Map(deleted.map((fact) => [fact.account_id, fact]))) {
      const released = await this.release.execute(AccountId.parse(id), revision);
      const line = { event: 'domains.released', account_id: id, released };
      this.logger.info(line, 'domains of a deleted account released');
    }
  }
}
