import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DomainChanged, DomainDirectory } from '@postmesh/domains-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';

/** Invalidates the short cache: a changed domain is queried again at once. */
@Controller()
export class OnDomainChanged {
  constructor(private readonly domains: DomainDirectory) {}

  @Consumes(DomainChanged, 'messages.domain-changes')
  async handle(
    @Payload() events: EventOf<typeof DomainChanged>[],
    @Ctx() { afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(() => {
      for (const { data } of events) this.domains.forget(data.account_id, data.domain);
    });
  }
}
