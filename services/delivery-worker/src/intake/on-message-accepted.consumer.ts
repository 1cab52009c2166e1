import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource, type EntityManager } from 'typeorm';
import { MessageAccepted, type EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { Hears, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountStates } from '../account-states/account-states.js';
import { DeliveryLoop } from '../attempt/delivery-loop.js';
import {
  sortByAccount,
  type AcceptedEvent,
  type HeldDelivery,
  type NewDelivery,
} from './deliveries.rules.js';

const CONSUMER = 'delivery-worker.intake';

/** An accepted message becomes one delivery per recipient, due at once or at its first attempt. */
@Controller()
export class OnMessageAccepted {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly accounts: AccountStates,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly loop: DeliveryLoop,
  ) {}

  @Hears(MessageAccepted)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const parsed = events.map((event) => MessageAccepted.parse(event));
    await this.dataSource.transaction(async (manager) => {
      const fresh = await this.inbox.admit(manager, CONSUMER, parsed);
      if (fresh.length === 0) return;
      const states = await this.accounts.notActive(
        manager,
        fresh.flatMap(({ account_id }) => account_id ?? []),
      );
      const sorted = sortByAccount(fresh, states, this.settings.deliveryWindowSeconds);
      await insertMessages(manager, sorted.events);
      await insertDeliveries(manager, sorted.waiting);
      await insertHeld(manager, sorted.held);
    });
    // after the commit: whoever looks before it finds nothing
    this.loop.wake();
  }
}

async function insertMessages(manager: EntityManager, events: readonly AcceptedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await manager.query(
    `insert into messages (send_request_id, account_id, domain_id, domain, sender, subject, message_id_header, content_id,
       size, return_path_host, expires, sandbox, accepted_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[],
       $9::int[], $10::text[], $11::timestamptz[], $12::text[], $13::timestamptz[])
     on conflict do nothing`,
    [
      events.map(({ data }) => data.send_request_id),
      events.map((event) => event.account_id),
      events.map(({ data }) => data.domain_id),
      events.map(({ data }) => data.domain),
      events.map(({ data }) => data.sender),
      events.map(({ data }) => data.subject),
      events.map(({ data }) => data.message_id_header),
      events.map(({ data }) => data.content_id),
      events.map(({ data }) => data.size),
      events.map(({ data }) => data.return_path_host),
      events.map(({ data }) => data.expires),
      events.map(({ data }) => data.sandbox),
      events.map(({ data }) => data.accepted_at),
    ],
  );
}

async function insertDeliveries(manager: EntityManager, rows: readonly NewDelivery[]): Promise<void> {
  if (rows.length === 0) return;
  await manager.query(
    `insert into deliveries (id, send_request_id, recipient, destination, due_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[])
     on conflict do nothing`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.sendRequestId),
      rows.map((row) => row.recipient),
      rows.map((row) => row.destination),
      rows.map((row) => row.dueAt),
    ],
  );
}

async function insertHeld(manager: EntityManager, rows: readonly HeldDelivery[]): Promise<void> {
  if (rows.length === 0) return;
  await manager.query(
    `insert into deliveries (id, send_request_id, recipient, destination, due_at, state, held_for, held_until, reason)
     select id, send_request_id, recipient, destination, due_at, 'held', held_for, held_until, reason
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[], $7::timestamptz[],
       $8::text[]) as given(id, send_request_id, recipient, destination, due_at, held_for, held_until, reason)
     on conflict do nothing`,
    [
      rows.map((row) => row.id),
      rows.map((row) => row.sendRequestId),
      rows.map((row) => row.recipient),
      rows.map((row) => row.destination),
      rows.map((row) => row.dueAt),
      rows.map((row) => row.accountId),
      rows.map((row) => row.until),
      rows.map((row) => row.reason),
    ],
  );
}
