import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MAX_CAMPAIGN_RECIPIENTS } from '@postmesh/messages-contract';
import { mailableMembers } from '../lists/mailable-members.sql.js';

// One million recipients take about a minute on a small machine; only the campaign itself waits for it.
const TIMEOUT = '10min';

/** The snapshot of a campaign: its recipients, their order and their batches (spec 3-marketing §7.1). */
@Injectable()
export class StartCampaign {
  /**
   * In the transaction that moves the campaign to `sending`. A repetition changes nothing.
   * @returns the number of recipients of the campaign
   */
  async execute(tx: EntityManager, campaignId: string): Promise<number> {
    await tx.query(
      `select set_config('statement_timeout', '${TIMEOUT}', true), set_config('work_mem', '64MB', true)`,
    );
    const opened: unknown[] = await tx.query(OPEN_COUNTS, [campaignId]);
    if (opened.length === 0) return countRecipients(tx, campaignId);
    await tx.query(TAKE_RECIPIENTS, [campaignId]);
    const recipients = await countRecipients(tx, campaignId);
    await tx.query(MAKE_BATCHES, [campaignId, recipients, MAX_CAMPAIGN_RECIPIENTS]);
    await tx.query('update campaign_counts set pending = $2 where campaign_id = $1', [
      campaignId,
      recipients,
    ]);
    return recipients;
  }
}

async function countRecipients(tx: EntityManager, campaignId: string): Promise<number> {
  const [row]: { recipients: number }[] = await tx.query(
    `select coalesce(max(position) + 1, 0)::int as recipients from campaign_recipients where campaign_id = $1`,
    [campaignId],
  );
  return row?.recipients ?? 0;
}

const OPEN_COUNTS = `insert into campaign_counts (campaign_id, updated_at) values ($1, now())
  on conflict do nothing returning campaign_id`;

const LISTS = `array(select list_id from campaign_lists where campaign_id = $1 order by position)`;

// The position of a contact follows from the first of its lists; the row has all matched ones.
const TAKE_RECIPIENTS = `
  insert into campaign_recipients (campaign_id, position, contact_id, account_id, email, list_ids)
  select campaigns.id, row_number() over (order by list_position, member_since, contact_id) - 1,
    contact_id, campaigns.account_id, email, list_ids
  from campaigns, (
    select contact_id, email, min(list_position) as list_position,
      array_agg(list_id order by list_position) as list_ids,
      (array_agg(member_since order by list_position))[1] as member_since
    from (${mailableMembers(LISTS)}) as members
    group by contact_id, email) as once
  where campaigns.id = $1`;

const MAKE_BATCHES = `
  insert into campaign_batches
    (id, account_id, group_key, state, due_at, reason, campaign_id, first_position, last_position)
  select gen_random_uuid(), account_id, id::text, 'pending', now(), 'waits until its campaign has room',
    id, first, least(first + $3::int, $2::int) - 1
  from campaigns, generate_series(0, $2::int - 1, $3::int) as first
  where id = $1`;
