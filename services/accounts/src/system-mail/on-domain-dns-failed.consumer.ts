import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainDnsFailed, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { domainsFailed } from './notices.rules.js';

/** One message for all domains of an account that failed together: an outage of DNS is reported once. */
@Injectable()
export class OnDomainDnsFailed implements Consumer<typeof DomainDnsFailed> {
  constructor(private readonly notices: Notices) {}

  @Consumes(DomainDnsFailed, 'accounts.notify-of-failed-domains')
  async handle(tx: EntityManager, events: EventOf<typeof DomainDnsFailed>[]): Promise<void> {
    await this.notices.send(tx, events, (name, failed) => [
      domainsFailed(
        name,
        failed.map((event) => event.data),
      ),
    ]);
  }
}
