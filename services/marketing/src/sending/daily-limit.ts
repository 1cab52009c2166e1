import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { CAMPAIGN_COUNTS } from '../results/campaign-counts.js';
import { PENDING } from './campaign-batches.table.js';

// Rows of past days are unused; they are kept for people.
const KEPT_DAYS = 40;

/** A sending campaign. */
export interface LimitedCampaign {
  readonly campaignId: string;
  readonly accountId: string;
  readonly startedAt: Date | null;
}

/** The reserved messages of a day's limit. */
export interface Reservation {
  readonly granted: number;
  /** YYYY-MM-DD, UTC */
  readonly day: string;
  /**
   * The reason why there are fewer than requested: the day is used up; the rest is for a campaign that began earlier; or
   * other batches of the account in flight have reserved the rest, so that a part of it may be refunded.
   */
  readonly short: 'used_up' | 'others_first' | 'in_flight' | null;
}

/** The limit of campaign messages per account and UTC calendar day (spec 3-marketing §4.4). */
@Injectable()
export class DailyLimit {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** @returns null: no limit; 0: the account may not send campaigns */
  async of(tx: Pick<EntityManager, 'query'>, accountId: string): Promise<number | null> {
    const [row]: { daily_limit: number | null; has_daily_limit: boolean }[] = await tx.query(
      'select daily_limit, has_daily_limit from marketing_limits where account_id = $1',
      [accountId],
    );
    return row?.has_daily_limit ? row.daily_limit : (this.settings.marketingDailyLimit ?? null);
  }

  /**
   * Reserves at most `wanted` of today's messages. The row of the day stays locked until the transaction ends, so that
   * campaigns and workers never exceed the limit together: the last step of a short transaction.
   */
  async reserve(
    tx: EntityManager,
    campaign: LimitedCampaign & { readonly batchId: string },
    wanted: number,
  ): Promise<Reservation> {
    const limit = await this.of(tx, campaign.accountId);
    const { used, day } = await addToDay(tx, campaign.accountId, limit === null ? wanted : 0);
    if (limit === null) return { granted: wanted, day, short: null };
    const free = Math.max(0, limit - used);
    // a statement of its own, after the lock: earlier holders have committed their reservations
    const open = Math.max(0, free - (await demandBefore(tx, campaign)).needed);
    const granted = Math.min(wanted, open);
    if (granted > 0) await addToDay(tx, campaign.accountId, granted, day);
    if (granted === wanted) return { granted, day, short: null };
    if (free > granted) return { granted, day, short: 'others_first' };
    const others = await isReservedByOthers(tx, campaign, day);
    return { granted, day, short: others ? 'in_flight' : 'used_up' };
  }

  /** Whether a paused campaign can get messages of the day, and no earlier campaign waits for them. */
  async hasRoom(tx: EntityManager, campaign: LimitedCampaign, now: Date): Promise<boolean> {
    const limit = await this.of(tx, campaign.accountId);
    if (limit === null) return true;
    const { needed, waits } = await demandBefore(tx, campaign);
    if (waits) return false;
    const day = now.toISOString().slice(0, 10);
    const [row]: { used: number }[] = await tx.query(
      'select used from marketing_days where account_id = $1 and day = $2::date',
      [campaign.accountId, day],
    );
    return (row?.used ?? 0) + needed < limit;
  }

  /** Returns reserved messages that were not created, since their addresses are suppressed. */
  async refund(tx: EntityManager, accountId: string, day: string, unused: number): Promise<void> {
    await addToDay(tx, accountId, -unused, day);
  }
}

async function addToDay(
  tx: EntityManager,
  accountId: string,
  more: number,
  day: string | null = null,
): Promise<{ used: number; day: string }> {
  const [row]: { used: number; day: string }[] = await tx.query(ADD_TO_DAY, [
    accountId,
    more,
    day,
    KEPT_DAYS,
  ]);
  if (!row) throw new Error('the day of the limit has no row');
  return row;
}

const DAY = `coalesce($3::date, (clock_timestamp() at time zone 'UTC')::date)`;

const ADD_TO_DAY = `
  with old as (delete from marketing_days where account_id = $1 and day < ${DAY} - $4::int)
  insert into marketing_days as d (account_id, day, used) values ($1, ${DAY}, greatest($2::int, 0))
  on conflict (account_id, day) do update set used = greatest(d.used + $2::int, 0)
  returning used, day::text as day`;

/** Whether another batch of the account has reserved messages of the day without recorded outcomes. */
async function isReservedByOthers(
  tx: EntityManager,
  { accountId, batchId }: LimitedCampaign & { readonly batchId: string },
  day: string,
): Promise<boolean> {
  const [row]: { exists: boolean }[] = await tx.query(
    `select exists (select from campaign_batches
       where account_id = $1 and reserved_day = $2 and id <> $3 and state <> '${PENDING}')`,
    [accountId, day, batchId],
  );
  return row?.exists === true;
}

interface Demand {
  /** messages */
  needed: number;
  /** one of them is paused by the limit */
  waits: boolean;
}

/** The outstanding messages of campaigns of the account that began earlier: they come first (§4.4 rule 4). */
async function demandBefore(tx: EntityManager, campaign: LimitedCampaign): Promise<Demand> {
  const [row]: [Demand] = await tx.query(DEMAND_BEFORE, [
    campaign.accountId,
    campaign.startedAt,
    campaign.campaignId,
  ]);
  return row;
}

const DEMAND_BEFORE = `
  select coalesce(sum(greatest(${CAMPAIGN_COUNTS.counted('pending', 'c.id')}, 0)), 0)::float8 as needed,
    coalesce(bool_or(c.status = 'paused'), false) as waits
  from campaigns c
  where c.account_id = $1 and c.status in ('sending', 'paused')
    and (c.status = 'sending' or c.pause_cause = 'daily_limit')
    and (c.started_at, c.id) < ($2::timestamptz, $3::uuid)`;
