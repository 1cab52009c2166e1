import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Ending } from '@postmesh/work';
import { PauseCampaign, raiseCampaign } from '../campaign-states/campaign-moves.js';
import { addCounts } from '../results/campaign-counts.js';
import type { RecipientStatus } from '../results/recipient-outcomes.rules.js';
import type { BatchResult } from './batch-attempt.js';
import { DailyLimit } from './daily-limit.js';

/**
 * Records the results of batches and their recipients in one transaction: pauses, batches, recipients with their counters,
 * and the unused part of the daily limit.
 */
@Injectable()
export class BatchRecorder {
  constructor(
    private readonly pauseCampaign: PauseCampaign,
    private readonly limit: DailyLimit,
  ) {}

  /**
   * In the lock order of all transactions: campaigns, batches, recipients, days of the limit.
   * @param settle ends or releases the batches with a valid lease
   * @returns for each result whether its lease was valid
   */
  async record(
    tx: EntityManager,
    results: readonly BatchResult[],
    settle: (endings: readonly Ending[]) => Promise<boolean[]>,
  ): Promise<boolean[]> {
    await this.moveCampaigns(tx, results);
    const own = await settle(results.map(({ batch, next }) => ({ item: batch, next })));
    const settled = results.filter((_, nth) => own[nth]);
    await clearBatches(tx, settled);
    await recordRecipients(tx, settled);
    await this.refund(tx, settled);
    return own;
  }

  private async moveCampaigns(tx: EntityManager, results: readonly BatchResult[]): Promise<void> {
    const moving = results.filter(({ pause, raises }) => pause !== null || raises);
    const byCampaign = new Map(moving.map((result) => [result.batch.campaignId, result]));
    for (const [id, { pause }] of [...byCampaign].sort(byKey)) {
      if (pause) await this.pauseCampaign.execute(tx, id, pause);
      else await raiseCampaign(tx, id);
    }
  }

  private async refund(tx: EntityManager, settled: readonly BatchResult[]): Promise<void> {
    const refunds = new Map<string, { accountId: string; day: string; unused: number }>();
    for (const { batch, reservedDay, outcomes } of settled) {
      const unused = outcomes.filter(({ status }) => status !== 'queued').length;
      if (reservedDay === null || unused === 0) continue;
      const key = `${batch.accountId} ${reservedDay}`;
      const known = refunds.get(key)?.unused ?? 0;
      refunds.set(key, { accountId: batch.accountId, day: reservedDay, unused: known + unused });
    }
    for (const [, { accountId, day, unused }] of [...refunds].sort(byKey)) {
      await this.limit.refund(tx, accountId, day, unused);
    }
  }
}

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

async function clearBatches(tx: EntityManager, settled: readonly BatchResult[]): Promise<void> {
  const ids = settled.filter(({ isClear, next }) => isClear && next !== null).map(({ batch }) => batch.id);
  if (ids.length === 0) return;
  await tx.query('update campaign_batches set reserved_day = null where id = any($1::uuid[])', [ids]);
}

interface Recorded {
  campaign_id: string;
  before: string;
  status: RecipientStatus;
  count: number;
}

async function recordRecipients(tx: EntityManager, settled: readonly BatchResult[]): Promise<void> {
  const all = settled.flatMap(({ batch, startedAt, outcomes }) =>
    outcomes.map((outcome) => ({ ...outcome, campaignId: batch.campaignId, at: startedAt.toISOString() })),
  );
  if (all.length === 0) return;
  const recorded: Recorded[] = await tx.query(RECORD, [
    all.map(({ campaignId }) => campaignId),
    all.map(({ position }) => position),
    all.map(({ messageId }) => messageId),
    all.map(({ status }) => status),
    all.map(({ reason }) => reason),
    all.map(({ at }) => at),
  ]);
  if (recorded.reduce((sum, { count }) => sum + count, 0) < all.length) {
    // contacts deleted in the meantime; a separate statement, which sees their remaining rows
    const forgotten: Recorded[] = await tx.query(RECORD_FORGOTTEN, [
      all.map(({ messageId }) => messageId),
      all.map(({ status }) => status),
    ]);
    recorded.push(...forgotten);
  }
  const moved = recorded.filter(
    ({ before, status }) => before !== status && (before === 'queued' || before === 'skipped'),
  );
  await addCounts(
    tx,
    moved.flatMap(({ campaign_id: campaignId, before, status, count }) => [
      { campaignId, [before]: -count },
      { campaignId, [status]: count },
    ]),
  );
}

// An outcome of the message may have overtaken this: then only the time is written. A failed recipient has no message.
const RECORD = `
  with given as (
    select * from unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
      as given(campaign_id, position, message_id, told, reason, at)),
  locked as materialized (
    select r.campaign_id, r.position, r.status as before, given.told, given.reason, given.at
    from campaign_recipients r join given using (campaign_id, position)
    where r.message_id = given.message_id
    order by r.campaign_id, r.position for update of r),
  recorded as (
    update campaign_recipients r set
      sent_at = case locked.told when 'queued' then coalesce(r.sent_at, locked.at) else r.sent_at end,
      status = case r.status when 'queued' then locked.told else r.status end,
      status_reason = case r.status when 'queued' then locked.reason else r.status_reason end,
      message_id = case locked.told when 'failed' then null else r.message_id end
    from locked where r.campaign_id = locked.campaign_id and r.position = locked.position
    returning r.campaign_id, locked.before, r.status)
  select campaign_id, before, status, count(*)::int as count from recorded group by 1, 2, 3`;

// It was unknown whether they would become a message; now it is known.
const RECORD_FORGOTTEN = `
  with locked as materialized (
    select f.message_id, given.told from campaign_forgotten_messages f
    join unnest($1::uuid[], $2::text[]) as given(message_id, told) using (message_id)
    where f.status = 'skipped' order by f.message_id for update of f),
  recorded as (
    update campaign_forgotten_messages f set status = locked.told from locked where f.message_id = locked.message_id
    returning f.campaign_id, f.status)
  select campaign_id, 'skipped' as before, status, count(*)::int as count from recorded group by 1, 3`;
