import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { changeByAttempt } from '@postmesh/messages-contract';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import type { EventOf, MessageId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { Outbox } from '@postmesh/events';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { SuppressRecipients } from '../automatic-suppressions/suppress-recipients.js';
import { DsnMailer } from '../reports/dsn-mailer.js';
import { RequestDsn } from '../reports/request-dsn.js';
import { DropContent } from '../retention/drop-content.js';
import { recordFacts } from '../statistics/record-facts.js';
import { outcomeFacts } from '../statistics/statistics-facts.rules.js';
import {
  ATTEMPT_COLUMNS,
  deliveryAttempts,
  effectiveOutcomes,
  firstKnown,
  foldOutcomes,
  KEEP_FIRST_KNOWN,
  type MessageChange,
} from './delivery-outcomes.rules.js';
import { ACCEPTING_STATUSES, isTerminal, statusAfter, type MessageStatus } from './message-status.rules.js';

/**
 * Outcomes of the delivery worker change the status of messages (spec 2-messages §7), are counted, and are published as
 * `message-changed` in the same transaction: no listener is ahead of `GET` (decision 108).
 */
@Controller()
export class OnDeliveryAttempted {
  constructor(
    private readonly contents: DropContent,
    private readonly suppressing: SuppressRecipients,
    private readonly dsn: RequestDsn,
    private readonly mailer: DsnMailer,
    private readonly outbox: Outbox,
  ) {}

  @Consumes(DeliveryAttempted, 'messages.delivery-outcomes')
  async handle(
    @Payload() events: EventOf<typeof DeliveryAttempted>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const { before, templates } = await updateMessages(tx, foldOutcomes(events));
    // a record that was purged meanwhile gets no attempts: they would never be deleted
    const attempts = deliveryAttempts(events).filter(({ messageId }) => before.has(messageId));
    const effective = effectiveOutcomes(events, before, templates);
    const [isDsnDue] = await Promise.all([
      this.dsn.request(tx, effective),
      insertRows(tx, 'delivery_attempts', ATTEMPT_COLUMNS, firstKnown(attempts), {
        onConflict: KEEP_FIRST_KNOWN,
      }),
      recordFacts(tx, outcomeFacts(effective)),
      this.suppressing.execute(tx, effective),
    ]);
    // every outcome, including one that is too late to change the status: webhooks show all outcomes of the worker
    await this.outbox.add(tx, events.map(changeByAttempt));
    afterCommit(() => {
      this.contents.done(finishedRequests(events));
      if (isDsnDue) this.mailer.wake();
    });
  }
}

/** Send requests with a finished message; the sandbox does not retry. */
const finishedRequests = (events: EventOf<typeof DeliveryAttempted>[]): string[] =>
  events
    .filter(({ data }) => isTerminal(statusAfter(data.outcome, data.sandbox)))
    .map(({ data }) => data.send_request_id);

const ACCEPTING = JSON.stringify(ACCEPTING_STATUSES);

/** @returns the previous status of the existing messages, and the templates of those that have one */
async function updateMessages(
  tx: EntityManager,
  changes: readonly MessageChange[],
): Promise<{ before: ReadonlyMap<string, MessageStatus>; templates: ReadonlyMap<string, string> }> {
  const [rows]: [{ id: MessageId; before: MessageStatus; template: string | null }[], number] =
    await tx.query(UPDATE_MESSAGES, [
      changes.map((change) => change.messageId),
      changes.map((change) => change.outcome),
      changes.map((change) => change.status),
      changes.map((change) => change.attempts),
      changes.map((change) => change.sentAt),
      changes.map((change) => change.deliveredAt),
      changes.map((change) => change.classification),
      changes.map((change) => change.at),
      ACCEPTING,
    ]);
  return {
    before: new Map(rows.map(({ id, before }) => [id, before])),
    templates: new Map(rows.flatMap(({ id, template }) => (template === null ? [] : [[id, template]]))),
  };
}

// A message that was opened before its outcome arrived is opened (spec 2-messages §7): no later event would set that.
const UPDATE_MESSAGES = `
  update messages m set
    status = case when not ($9::jsonb -> given.outcome) ? m.status then m.status
      when given.status = 'Delivered' and m.click_count > 0 then 'Clicked'
      when given.status = 'Delivered' and m.open_count > 0 then 'Opened'
      else given.status end,
    bounce_classification = case when ($9::jsonb -> given.outcome) ? m.status
      then given.classification else m.bounce_classification end,
    num_attempts = greatest(m.num_attempts, given.attempts),
    sent_at = coalesce(m.sent_at, given.sent_at),
    delivered_at = coalesce(m.delivered_at, given.delivered_at),
    updated_at = greatest(m.updated_at, given.at)
  from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::timestamptz[], $6::timestamptz[], $7::text[],
      $8::timestamptz[])
    as given(id, outcome, status, attempts, sent_at, delivered_at, classification, at)
    join messages b on b.id = given.id
    left join send_requests s on s.id = b.send_request_id
  where m.id = given.id
  returning m.id, b.status as before, s.template_id as template`;
