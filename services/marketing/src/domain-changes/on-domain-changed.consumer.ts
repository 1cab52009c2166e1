import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DomainChanged, DomainDirectory } from '@postmesh/domains-contract';
import type { EventOf } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { CampaignsOfDomain } from '../campaign-states/followed-campaigns.js';

type Fact = EventOf<typeof DomainChanged>['data'];

const COLUMNS = {
  domain_id: ['uuid', (fact: Fact) => fact.domain_id],
  deleted_at: ['timestamptz', () => new Date()],
} as const;

/**
 * A sender whose domain is deleted reads null from then on, with any status of its campaign (spec 3-marketing §3.1).
 * The sender stays in the rows; sending campaigns are processed by the state machine.
 */
@Controller()
export class OnDomainChanged {
  constructor(
    private readonly directory: DomainDirectory,
    private readonly campaigns: CampaignsOfDomain,
  ) {}

  @Consumes(DomainChanged, 'marketing.domain-changes')
  async handle(
    @Payload() events: EventOf<typeof DomainChanged>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    const facts = events.map(({ data }) => data);
    // the domains service has the new facts already, and the state machine queries them after this commit
    for (const { account_id, domain } of facts) this.directory.forget(account_id, domain);
    const deleted = facts.filter((fact) => fact.deleted);
    await insertRows(tx, 'deleted_domains', COLUMNS, deleted, { onConflict: 'do nothing' });
    await this.campaigns.changed(tx, facts);
  }
}
