import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Outbox } from '@postmesh/events';
import { HAS_OWN_MESSAGES } from '../accept/send-request.rules.js';
import { recordFacts } from '../statistics/record-facts.js';
import { trackedFacts } from '../statistics/statistics-facts.rules.js';
import {
  changeByFetch,
  foldFetches,
  type DecidedFetch,
  type MessageTracking,
  type TrackedMessage,
} from './tracked-messages.rules.js';

/**
 * Applies fetches to their messages: counters, status, statistics and events, in the transaction that stores the
 * fetches.
 */
@Injectable()
export class TrackedMessages {
  constructor(private readonly outbox: Outbox) {}

  /**
   * Locks messages against changes and the purge until the transaction ends. The lock order is the same everywhere, so
   * that concurrent transactions wait but do not deadlock.
   * @returns the messages that still exist, by id
   */
  async lock(tx: EntityManager, ids: Iterable<string>): Promise<ReadonlyMap<string, TrackedMessage>> {
    const rows: TrackedMessage[] = await tx.query(LOCK, [[...new Set(ids)]]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** @param messages locked in this transaction */
  async apply(
    tx: EntityManager,
    messages: ReadonlyMap<string, TrackedMessage>,
    fetches: readonly DecidedFetch[],
  ): Promise<void> {
    const changes = foldFetches(messages, fetches);
    await updateMessages(tx, changes);
    await recordFacts(tx, trackedFacts(changes));
    const events = fetches.flatMap((fetch) => {
      const message = messages.get(fetch.messageId);
      return message ? [changeByFetch(message, fetch)] : [];
    });
    await this.outbox.add(tx, events);
  }
}

// A record is gone after its retention, even if the purge has not reached it yet.
const LOCK = `
  select m.id, m.send_request_id as "sendRequestId", m.account_id as "accountId", m.recipient, m.status,
    m.open_count as "openCount", m.click_count as "clickCount", s.domain, s.sender, s.tags,
    s.template_id as "templateId", s.campaign_id as "campaignId", s.sender_name as "senderName",
    coalesce(m.subject, s.subject) as subject,
    case when ${HAS_OWN_MESSAGES} then '<' || m.id || '@' || s.domain || '>'
      else s.message_id_header end as "messageIdHeader",
    s.sandbox is not null as sandbox, coalesce(m.delivered_at, m.sent_at, m.created_at) as "deliveredAt"
  from messages m join send_requests s on s.id = m.send_request_id
  where m.id = any($1::uuid[]) and s.retain_metadata_until > now()
  order by m.id for no key update of m`;

async function updateMessages(tx: EntityManager, changes: readonly MessageTracking[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `update messages m set open_count = m.open_count + given.opens, click_count = m.click_count + given.clicks,
       status = given.status, updated_at = greatest(m.updated_at, given.at)
     from unnest($1::uuid[], $2::int[], $3::int[], $4::text[], $5::timestamptz[])
       as given(id, opens, clicks, status, at)
     where m.id = given.id`,
    [
      changes.map(({ message }) => message.id),
      changes.map(({ opens }) => opens),
      changes.map(({ clicks }) => clicks),
      changes.map(({ status }) => status),
      changes.map(({ lastAt }) => lastAt),
    ],
  );
}
