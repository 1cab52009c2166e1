import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageAccepted, type EventOf } from '@postmesh/contracts';
import { Consumes, SETTINGS, type AfterCommit, type Consumer } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountStates } from '../account-changes/account-states.js';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { toDeliveries } from './deliveries.rules.js';

/** An accepted message becomes one delivery per recipient. What is due and has permits begins with the commit. */
@Injectable()
export class OnMessageAccepted implements Consumer<typeof MessageAccepted> {
  constructor(
    private readonly accounts: AccountStates,
    private readonly deliveries: DeliveryQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Consumes(MessageAccepted, 'delivery-worker.intake')
  async handle(tx: EntityManager, events: EventOf<typeof MessageAccepted>[]): Promise<AfterCommit> {
    const states = await this.accounts.notActive(
      tx,
      events.flatMap(({ account_id }) => account_id ?? []),
    );
    const rows = events.flatMap((event) =>
      toDeliveries(event, states.get(event.account_id ?? ''), this.settings.deliveryWindowSeconds),
    );
    return this.deliveries.queue.insert(tx, rows);
  }
}
