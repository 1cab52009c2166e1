import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageAccepted, type EventOf } from '@postmesh/contracts';
import { Consumes, SETTINGS, type AfterCommit, type Consumer } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountStates } from '../account-states/account-states.js';
import { DeliveryLoop } from '../attempt/delivery-loop.js';
import {
  sortByAccount,
  type AcceptedEvent,
  type HeldDelivery,
  type NewDelivery,
} from './deliveries.rules.js';

/** An accepted message becomes one delivery per recipient, due at once or at its first attempt. */
@Injectable()
export class OnMessageAccepted implements Consumer<typeof MessageAccepted> {
  constructor(
    private readonly accounts: AccountStates,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly loop: DeliveryLoop,
  ) {}

  @Consumes(MessageAccepted, 'delivery-worker.intake')
  async handle(tx: EntityManager, events: EventOf<typeof MessageAccepted>[]): Promise<AfterCommit> {
    const states = await this.accounts.notActive(
      tx,
      events.flatMap(({ account_id }) => account_id ?? []),
    );
    const sorted = sortByAccount(events, states, this.settings.deliveryWindowSeconds);
    await insertMessages(tx, sorted.events);
    await insertDeliveries(tx, sorted.waiting);
    await insertHeld(tx, sorted.held);
    return () => this.loop.wake();
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
