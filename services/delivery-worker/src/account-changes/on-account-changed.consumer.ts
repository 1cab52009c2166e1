import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountChanged } from '@postmesh/accounts-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { AccountStates } from '../account-states/account-states.js';
import { SuspendDeliveries } from './suspend-deliveries.js';

/** Records which accounts may send; the queue follows (suspend-deliveries.ts). */
@Controller()
export class OnAccountChanged {
  constructor(
    private readonly states: AccountStates,
    private readonly suspension: SuspendDeliveries,
  ) {}

  @Consumes(AccountChanged, 'delivery-worker.account-changes')
  async handle(
    @Payload() events: EventOf<typeof AccountChanged>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    await this.states.learn(
      tx,
      events.map(({ data }) => data),
    );
    afterCommit(() => this.suspension.trigger());
  }
}
