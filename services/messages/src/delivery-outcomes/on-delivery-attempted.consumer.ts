import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeliveryAttempted, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { DELIVERED_STATUSES, OPEN_STATUSES } from '../message-status/message-status.rules.js';
import { attemptEntries, foldOutcomes, type AttemptEntry, type MessageChange } from './outcomes.rules.js';

/** What the delivery worker did moves the status of messages (spec 2-messages §7). */
@Injectable()
export class OnDeliveryAttempted implements Consumer<typeof DeliveryAttempted> {
  @Consumes(DeliveryAttempted, 'messages.delivery-outcomes')
  async handle(tx: EntityManager, events: EventOf<typeof DeliveryAttempted>[]): Promise<void> {
    const known = await updateMessages(tx, foldOutcomes(events));
    // a record that was purged meanwhile gets no entries: nobody would ever forget them
    await insertAttempts(
      tx,
      attemptEntries(events).filter(({ messageId }) => known.has(messageId)),
    );
  }
}

/** @returns the ids of the messages that there are */
async function updateMessages(
  manager: EntityManager,
  changes: readonly MessageChange[],
): Promise<ReadonlySet<string>> {
  const [rows]: [{ id: string }[], number] = await manager.query(
    `update messages m set
       status = case when m.status = any($8) or (given.status = 'Bounced' and m.status = any($9))
                     then given.status else m.status end,
       bounce_classification = case when m.status = any($8) or (given.status = 'Bounced' and m.status = any($9))
                     then given.classification else m.bounce_classification end,
       num_attempts = greatest(m.num_attempts, given.attempts),
       sent_at = coalesce(m.sent_at, given.sent_at),
       delivered_at = coalesce(m.delivered_at, given.delivered_at),
       updated_at = greatest(m.updated_at, given.at)
     from unnest($1::uuid[], $2::text[], $3::int[], $4::timestamptz[], $5::timestamptz[], $6::text[], $7::timestamptz[])
       as given(id, status, attempts, sent_at, delivered_at, classification, at)
     where m.id = given.id
     returning m.id`,
    [
      changes.map((change) => change.messageId),
      changes.map((change) => change.status),
      changes.map((change) => change.attempts),
      changes.map((change) => change.sentAt),
      changes.map((change) => change.deliveredAt),
      changes.map((change) => change.classification),
      changes.map((change) => change.at),
      OPEN_STATUSES,
      DELIVERED_STATUSES,
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

async function insertAttempts(manager: EntityManager, entries: readonly AttemptEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await manager.query(
    `insert into delivery_attempts (message_id, at, position, status, log)
     select * from unnest($1::uuid[], $2::timestamptz[], $3::int[], $4::text[], $5::text[])
     on conflict do nothing`,
    [
      entries.map((entry) => entry.messageId),
      entries.map((entry) => entry.at),
      entries.map((entry) => entry.position),
      entries.map((entry) => entry.status),
      entries.map((entry) => entry.log),
    ],
  );
}
