import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainChanged, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { DomainChangeFeed } from './domain-change-feed.js';

/** Drops what is cached of a domain that changed, in every worker process. */
@Injectable()
export class OnDomainChanged implements Consumer<typeof DomainChanged> {
  constructor(private readonly feed: DomainChangeFeed) {}

  @Consumes(DomainChanged, 'delivery-worker.domain-changes')
  async handle(tx: EntityManager, events: EventOf<typeof DomainChanged>[]): Promise<AfterCommit> {
    const changed = [...new Set(events.map(({ data }) => data.domain_id))];
    await this.feed.announce(tx, changed);
    // this process need not wait for its own notification, which could be lost
    return () => changed.forEach((domainId) => this.feed.forget(domainId));
  }
}
