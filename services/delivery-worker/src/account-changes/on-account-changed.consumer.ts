import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountChanged, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { AccountStates } from './account-states.js';
import { SuspendDeliveries } from './suspend-deliveries.js';

/** Learns which accounts may send; the queue follows (suspend-deliveries.ts). */
@Injectable()
export class OnAccountChanged implements Consumer<typeof AccountChanged> {
  constructor(
    private readonly states: AccountStates,
    private readonly suspension: SuspendDeliveries,
  ) {}

  @Consumes(AccountChanged, 'delivery-worker.account-changes')
  async handle(tx: EntityManager, events: EventOf<typeof AccountChanged>[]): Promise<AfterCommit> {
    await this.states.learn(
      tx,
      events.map(({ data }) => data),
    );
    return () => this.suspension.trigger();
  }
}
