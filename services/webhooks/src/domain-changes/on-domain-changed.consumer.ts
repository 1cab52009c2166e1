import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainChanged, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';

/** A deleted domain leaves the account's webhooks; one that covered nothing else then matches nothing. */
@Injectable()
export class OnDomainChanged implements Consumer<typeof DomainChanged> {
  @Consumes(DomainChanged, 'webhooks.domain-changes')
  async handle(tx: EntityManager, events: EventOf<typeof DomainChanged>[]): Promise<void> {
    const deleted = events.filter(({ data }) => data.deleted);
    if (deleted.length === 0) return;
    await tx.query(
      `update webhooks set
           domains = array(
             select domain from unnest(webhooks.domains) with ordinality as covered(domain, at)
             where domain <> all(gone.domains) order by at),
           updated_at = now(), revision = revision + 1
         from (select account_id, array_agg(domain) as domains
               from unnest($1::uuid[], $2::text[]) as given(account_id, domain) group by account_id) as gone
         where webhooks.account_id = gone.account_id and webhooks.domains && gone.domains`,
      [deleted.map(({ data }) => data.account_id), deleted.map(({ data }) => data.domain)],
    );
  }
}
