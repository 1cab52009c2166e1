import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { EgressAddressesChanged } from '@postmesh/delivery-worker-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { EgressAddresses } from './egress-addresses.js';

/** Each event has the whole list, so only the last one counts. */
@Controller()
export class OnEgressAddressesChanged {
  constructor(private readonly addresses: EgressAddresses) {}

  @Consumes(EgressAddressesChanged, 'domains.egress-addresses')
  async handle(
    @Payload() events: EventOf<typeof EgressAddressesChanged>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    const last = events.at(-1);
    if (last !== undefined) await this.addresses.replace(tx, last.data.sources);
  }
}
