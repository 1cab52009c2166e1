import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { DomainChanged, type EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { Hears } from '@postmesh/service-host';

/** A deleted domain leaves the account's webhooks; one that covered nothing else then matches nothing. */
@Controller()
export class OnDomainChanged {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
  ) {}

  @Hears(DomainChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const deleted = events.map(DomainChanged.parse).filter(({ data }) => data.deleted);
    if (deleted.length === 0) return;
    await this.dataSource.transaction(async (manager) => {
      const fresh = await this.inbox.admit(manager, 'webhooks.on-domain-changed', deleted);
      if (fresh.length === 0) return;
      await manager.query(
        `update webhooks set
           domains = array(
             select domain from unnest(webhooks.domains) with ordinality as covered(domain, at)
             where domain <> all(gone.domains) order by at),
           updated_at = now(), revision = revision + 1
         from (select account_id, array_agg(domain) as domains
               from unnest($1::uuid[], $2::text[]) as given(account_id, domain) group by account_id) as gone
         where webhooks.account_id = gone.account_id and webhooks.domains && gone.domains`,
        [fresh.map(({ data }) => data.account_id), fresh.map(({ data }) => data.domain)],
      );
    });
  }
}
