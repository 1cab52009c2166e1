import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DomainChanged } from '@postmesh/domains-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { DomainChangeFeed } from './domain-change-feed.js';

/** Drops the cache entry of a domain that changed, in every worker process. */
@Controller()
export class OnDomainChanged {
  constructor(private readonly feed: DomainChangeFeed) {}

  @Consumes(DomainChanged, 'delivery-worker.domain-changes')
  async handle(
    @Payload() events: EventOf<typeof DomainChanged>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const changed = [...new Set(events.map(({ data }) => data.domain_id))];
    await this.feed.announce(tx, changed);
    // this process does not wait for its own notification, which could be lost
    afterCommit(() => changed.forEach((domainId) => this.feed.forget(domainId)));
  }
}
