import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AccountChanged, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';
import { AccountStates } from './account-states.js';
import { SuspendDeliveries } from './suspend-deliveries.js';

/** Learns which accounts may send; the queue follows (suspend-deliveries.ts). */
@Controller()
export class OnAccountChanged {
  constructor(
    private readonly states: AccountStates,
    private readonly suspension: SuspendDeliveries,
  ) {}

  @Hears(AccountChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    await this.states.learn(events.map((event) => AccountChanged.parse(event).data));
    this.suspension.trigger();
  }
}
