import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DomainChanged, DomainDirectory } from '@postmesh/domains-contract';
import type { EventOf } from '@postmesh/contracts';
import { forgetAlignments } from '../domain-reports/store-report.js';
import { Consumes, type EventContext } from '@postmesh/service-host';

/** Invalidates the short cache: a changed domain is queried again at once. A deleted one needs no attention any more. */
@Controller()
export class OnDomainChanged {
  constructor(private readonly domains: DomainDirectory) {}

  @Consumes(DomainChanged, 'messages.domain-changes')
  async handle(
    @Payload() events: EventOf<typeof DomainChanged>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    await forgetAlignments(
      tx,
      events.flatMap(({ data }) => (data.deleted ? [data.domain_id] : [])),
    );
    afterCommit(() => {
      for (const { data } of events) this.domains.forget(data.account_id, data.domain);
    });
  }
}
