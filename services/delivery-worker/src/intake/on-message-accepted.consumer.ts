import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { DatabaseClock } from '@postmesh/database';
import { MessageAccepted } from '@postmesh/messages-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, SETTINGS, type EventContext } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountStates } from '../account-states/account-states.js';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { isUnknown } from '../mx/group-key.rules.js';
import { MxGroups } from '../mx/mx-groups.js';
import { destinationsOf, toDeliveries } from './deliveries.rules.js';

/** An accepted message becomes one delivery per recipient. Due deliveries with permits begin with the commit. */
@Controller()
export class OnMessageAccepted {
  constructor(
    private readonly accounts: AccountStates,
    private readonly groups: MxGroups,
    private readonly deliveries: DeliveryQueue,
    private readonly clock: DatabaseClock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Consumes(MessageAccepted, 'delivery-worker.intake')
  async handle(
    @Payload() events: EventOf<typeof MessageAccepted>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const accounts = events.flatMap(({ account_id }) => account_id ?? []);
    const [states, groups] = await Promise.all([
      this.accounts.notActive(tx, accounts),
      this.groups.keysOf(tx, events.flatMap(destinationsOf)),
    ]);
    const { deliveryWindowSeconds } = this.settings;
    const now = this.clock.date();
    const rows = events.flatMap((event) =>
      toDeliveries(event, states.get(event.account_id ?? ''), deliveryWindowSeconds, groups, now),
    );
    const [begin] = await Promise.all([this.deliveries.queue.insert(tx, rows), remember(tx, events)]);
    afterCommit(() => {
      begin();
      this.groups.wanted([...groups].filter(([, group]) => isUnknown(group)).map(([domain]) => domain));
    });
  }
}

/**
 * Remembers the ingested requests, one row per batch, so that a late cancel can be answered
 * (cancel/cancel-deliveries.ts).
 */
async function remember(tx: EntityManager, events: EventOf<typeof MessageAccepted>[]): Promise<void> {
  await tx.query('insert into intakes (send_request_ids) values ($1::uuid[])', [
    events.map(({ data }) => data.send_request_id),
  ]);
}
