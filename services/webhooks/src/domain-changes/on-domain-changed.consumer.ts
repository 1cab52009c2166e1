import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { DomainChanged } from '@postmesh/domains-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { DisableRoutes } from '../manage-routes/routes.repository.js';
import { DomainOwners } from '../match-routes/domain-owners.js';

/**
 * Removes a deleted domain from the account's webhooks; a webhook without other domains then matches nothing. Routes of
 * its addresses are disabled (spec 1-platform §11.9). The owners of a domain's inbound mail are queried again after any change.
 */
@Controller()
export class OnDomainChanged {
  constructor(
    private readonly owners: DomainOwners,
    private readonly routes: DisableRoutes,
  ) {}

  @Consumes(DomainChanged, 'webhooks.domain-changes')
  async handle(
    @Payload() events: EventOf<typeof DomainChanged>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const deleted = events.filter(({ data }) => data.deleted).map(({ data }) => data);
    if (deleted.length > 0) {
      await leaveWebhooks(tx, deleted);
      await this.routes.ofDomains(
        tx,
        deleted.map(({ domain_id }) => domain_id),
      );
    }
    afterCommit(() => this.owners.forget(events.map(({ data }) => data.domain)));
  }
}

async function leaveWebhooks(
  tx: EntityManager,
  deleted: readonly { account_id: string; domain: string }[],
): Promise<void> {
  await tx.query(
    `update webhooks set
         domains = array(
           select domain from unnest(webhooks.domains) with ordinality as covered(domain, at)
           where domain <> all(gone.domains) order by at),
         updated_at = now(), revision = revision + 1
       from (select account_id, array_agg(domain) as domains
             from unnest($1::uuid[], $2::text[]) as given(account_id, domain) group by account_id) as gone
       where webhooks.account_id = gone.account_id and webhooks.domains && gone.domains`,
    [deleted.map(({ account_id }) => account_id), deleted.map(({ domain }) => domain)],
  );
}
