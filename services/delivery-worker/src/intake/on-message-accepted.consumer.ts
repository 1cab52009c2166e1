import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { MessageAccepted, type EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { Hears, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountStates } from '../account-changes/account-states.js';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { toDeliveries } from './deliveries.rules.js';

const CONSUMER = 'delivery-worker.intake';

/** An accepted message becomes one delivery per recipient. What is due and has permits begins with the commit. */
@Controller()
export class OnMessageAccepted {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly accounts: AccountStates,
    private readonly deliveries: DeliveryQueue,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Hears(MessageAccepted)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const parsed = events.map((event) => MessageAccepted.parse(event));
    const afterCommit = await this.dataSource.transaction(async (manager) => {
      const fresh = await this.inbox.admit(manager, CONSUMER, parsed);
      const states = await this.accounts.notActive(
        manager,
        fresh.flatMap(({ account_id }) => account_id ?? []),
      );
      const rows = fresh.flatMap((event) =>
        toDeliveries(event, states.get(event.account_id ?? ''), this.settings.deliveryWindowSeconds),
      );
      return this.deliveries.queue.insert(manager, rows);
    });
    afterCommit();
  }
}
