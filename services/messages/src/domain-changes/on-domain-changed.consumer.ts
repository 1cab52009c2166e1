import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainChanged, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { DomainDirectory } from '@postmesh/sending-domains';

/** Shortens the short cache: a domain that changed is looked up again at once. */
@Injectable()
export class OnDomainChanged implements Consumer<typeof DomainChanged> {
  constructor(private readonly domains: DomainDirectory) {}

  @Consumes(DomainChanged, 'messages.domain-changes')
  async handle(_tx: EntityManager, events: EventOf<typeof DomainChanged>[]): Promise<AfterCommit> {
    return () => {
      for (const { data } of events) this.domains.forget(data.account_id, data.domain);
    };
  }
}
