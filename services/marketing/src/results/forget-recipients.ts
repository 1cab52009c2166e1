import type { EntityManager } from 'typeorm';
import { addCounts } from './campaign-counts.js';

/**
 * Removes contacts that are being deleted from recipients, except for counts (spec 3-marketing §1.5 C2, C4, C5): pending
 * recipients are counted as skipped, and messages in flight keep counting without an identification. Taken recipients
 * without a recorded hand-over count as skipped, too, until an event proves that they became a message: a worker that
 * died may have handed them over or not, and no other one hands them over.
 * @param contactIds locked for the deletion
 */
export async function forgetRecipients(tx: EntityManager, contactIds: readonly string[]): Promise<void> {
  const left: { campaignId: string; pending: number; taken: number }[] = await tx.query(FORGET, [contactIds]);
  await addCounts(
    tx,
    left.map(({ campaignId, pending, taken }) => ({
      campaignId,
      pending: -pending,
      queued: -taken,
      skipped: pending + taken,
    })),
  );
  // after the recipients: a transaction that records an open locks its recipient until the open is stored
  await tx.query('delete from campaign_fetches where contact_id = any($1::uuid[])', [contactIds]);
}

const FORGET = `
  with gone as (
    delete from campaign_recipients where contact_id = any($1::uuid[])
    returning *, status = 'queued' and sent_at is null as taken),
  kept as (
    insert into campaign_forgotten_messages (message_id, campaign_id, status, opened, clicked, complained)
    select message_id, campaign_id, case when taken then 'skipped' else status end, opened_at is not null,
      clicked_at is not null, complained_at is not null
    from gone where message_id is not null)
  select campaign_id as "campaignId", (count(*) filter (where not taken))::int as pending,
    (count(*) filter (where taken))::int as taken
  from gone where status = 'pending' or taken group by campaign_id`;
