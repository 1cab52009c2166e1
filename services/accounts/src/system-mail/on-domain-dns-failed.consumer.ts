import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource, type EntityManager } from 'typeorm';
import { DomainDnsFailed, type EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { Hears } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { domainsFailed } from './notices.rules.js';

/** One message for all domains of an account that failed together: an outage of DNS is told once. */
@Controller()
export class OnDomainDnsFailed {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly notices: Notices,
  ) {}

  @Hears(DomainDnsFailed)
  async on(@Payload() envelopes: EventEnvelope[]): Promise<void> {
    const events = envelopes.map((envelope) => DomainDnsFailed.parse(envelope));
    await this.dataSource.transaction(async (tx) => {
      const fresh = await this.inbox.admit(tx, 'accounts.tell-of-failed-domains', events);
      if (fresh.length > 0) await this.handle(tx, fresh);
    });
  }

  async handle(tx: EntityManager, events: ReturnType<typeof DomainDnsFailed.parse>[]): Promise<void> {
    await this.notices.send(tx, events, (name, failed) => [
      domainsFailed(
        name,
        failed.map((event) => event.data),
      ),
    ]);
  }
}
