import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MAX_CAMPAIGN_RECIPIENTS } from '@postmesh/messages-contract';
import { trialSize } from '../trials/trial.rules.js';
import { audienceOf, SEGMENT_POSITION, type Audience } from '../segments/audience.sql.js';

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
    const audience = await audienceOf(tx, campaignId);
    const trial = await trialOf(tx, campaignId);
    await tx.query(takeRecipients(audience, trial !== undefined), [...audience.parameters]);
    const recipients = await countRecipients(tx, campaignId);
    const size = trial && trialSize(recipients, trial);
    if (size !== undefined)
      await tx.query('update campaign_trials set size = $2 where campaign_id = $1', [campaignId, size]);
    await tx.query(MAKE_BATCHES, [campaignId, recipients, MAX_CAMPAIGN_RECIPIENTS, size ?? recipients]);
    await tx.query('update campaign_counts set pending = $2 where campaign_id = $1', [
      campaignId,
      recipients,
    ]);
    return recipients;
  }
}

async function trialOf(
  tx: EntityManager,
  campaignId: string,
): Promise<{ share: number; variants: number } | undefined> {
  const [trial]: { share: number; variants: number }[] = await tx.query(
    `select share, 1 + (select count(*)::int from campaign_variants v where v.campaign_id = t.campaign_id) as variants
     from campaign_trials t where t.campaign_id = $1`,
    [campaignId],
  );
  return trial;
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

/** A contact may be on any number of lists. */
const MAX_LISTS = 50;

// The position of a contact follows from the first of its lists; the row has all matched ones. A contact that a segment
// alone has found is on lists that the campaign does not name: the row has them, for the unsubscribe link.
// With a trial the order is random, so that its recipients are like the rest.
const takeRecipients = ({ text }: Audience, isRandom: boolean): string => `
  insert into campaign_recipients (campaign_id, position, contact_id, account_id, email, list_ids)
  select campaigns.id, row_number() over (order by ${isRandom ? RANDOM : BY_LIST}) - 1,
    contact_id, campaigns.account_id, email, list_ids
  from campaigns, (
    select contact_id, email, min(list_position) as list_position,
      coalesce(array_agg(list_id order by list_position) filter (where list_position < ${SEGMENT_POSITION}),
        (array_agg(list_id order by member_since, list_id))[1:${MAX_LISTS}]) as list_ids,
      (array_agg(member_since order by list_position, member_since))[1] as member_since
    from (${text}) as members
    group by contact_id, email) as once
  where campaigns.id = $1`;

const BY_LIST = 'list_position, member_since, contact_id';
const RANDOM = 'hashtextextended(contact_id::text, hashtextextended(campaigns.id::text, 0)), contact_id';

// $4: the recipients of the trial, or all. The rest is held until the winner is known.
const MAKE_BATCHES = `
  insert into campaign_batches
    (id, account_id, group_key, state, due_at, reason, campaign_id, first_position, last_position)
  select gen_random_uuid(), account_id, id::text, part.state, now(), part.reason,
    id, first, least(first + $3::int, part.until) - 1
  from campaigns, (values
      (0, $4::int, 'pending', 'waits until its campaign has room'),
      ($4::int, $2::int, 'held', 'waits for the winner of the trial')) as part(begin, until, state, reason),
    generate_series(part.begin, part.until - 1, $3::int) as first
  where id = $1`;
