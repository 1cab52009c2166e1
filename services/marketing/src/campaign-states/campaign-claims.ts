import type { DataSource, EntityManager } from 'typeorm';
import { lockCampaign, STATE_COLUMNS, type CampaignState } from './campaign-moves.js';

// Another worker replaces a killed one after this time; a running worker renews its lease three times as often.
export const LEASE_MS = 30_000;
export const RENEW_MS = 10_000;

/** Another process has claimed the campaign, or its status has changed: the decision is void. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** A campaign claimed by this process. */
export interface Claimed {
  readonly campaign: CampaignState;
  /** the time of its next run, unless a later write changes it */
  readonly dueAt: Date;
}

export interface ClaimOptions {
  /** `slow`: campaigns with a long check or snapshot */
  readonly lane: 'slow' | 'quick';
  readonly limit: number;
  /** accounts with a campaign in flight in this process, in this lane */
  readonly busyAccounts: readonly string[];
  /** delay of the next run, unless this run sets another one */
  readonly againMs: number;
}

// One campaign of each account at a time, so that an account with a thousand due campaigns delays no other account.
const CLAIM = `
  with due as (
    select distinct on (account_id) id from campaigns
    where due_at <= now() and (leased_until is null or leased_until <= now())
      and (status in ('validating', 'scheduled')) = $1 and account_id <> all($3::uuid[])
    order by account_id, due_at, id),
  free as (
    select campaigns.id from campaigns join due using (id)
    where due_at <= now() and (leased_until is null or leased_until <= now())
    order by due_at limit $2 for update of campaigns skip locked)
  update campaigns set leased_until = now() + interval '${LEASE_MS} milliseconds', lease_token = lease_token + 1,
    due_at = date_trunc('milliseconds', now()) + make_interval(secs => $4)
  from free where campaigns.id = free.id
  returning ${STATE_COLUMNS}, campaigns.due_at as "dueAt"`;

/** Claims due campaigns without a valid lease. */
export async function claimCampaigns(
  dataSource: DataSource,
  { lane, limit, busyAccounts, againMs }: ClaimOptions,
): Promise<Claimed[]> {
  const [rows]: [(CampaignState & { dueAt: Date })[]] = await dataSource.query(CLAIM, [
    lane === 'slow',
    limit,
    busyAccounts,
    againMs / 1_000,
  ]);
  return rows.map(({ dueAt, ...campaign }) => ({ campaign, dueAt }));
}

/** @returns the time until the next campaign is due, ms; 0 or less when one is; undefined when none has a due time */
export async function nextDueMs(dataSource: DataSource): Promise<number | undefined> {
  const [row]: { ms: number }[] = await dataSource.query(
    `select (extract(epoch from due_at - now()) * 1000)::float8 as ms from campaigns
     where due_at is not null order by due_at limit 1`,
  );
  return row?.ms;
}

/** Rows locked by a transaction of this process keep their lease by the lock. */
export async function renewLeases(dataSource: DataSource, claims: readonly Claimed[]): Promise<void> {
  if (claims.length === 0) return;
  await dataSource.query(
    `update campaigns set leased_until = now() + interval '${LEASE_MS} milliseconds' where id = any(array(
       select id from campaigns join unnest($1::uuid[], $2::bigint[]) as held(id, lease_token) using (id, lease_token)
       for update of campaigns skip locked))`,
    [claims.map(({ campaign }) => campaign.id), claims.map(({ campaign }) => campaign.leaseToken)],
  );
}

/** Ends the lease. A campaign that became due in the meantime stays due. @param nextAt null: no run until another write */
export async function releaseCampaign(
  database: Pick<DataSource | EntityManager, 'query'>,
  { campaign, dueAt }: Claimed,
  nextAt: Date | null,
): Promise<void> {
  await database.query(
    `update campaigns set leased_until = null, due_at = case when due_at = $3 then $4 else due_at end
     where id = $1 and lease_token = $2`,
    [campaign.id, campaign.leaseToken, dueAt, nextAt],
  );
}

/**
 * For the transaction that applies a decision.
 * @returns the current campaign, locked
 * @throws LeaseLost
 */
export async function lockClaimed(tx: EntityManager, { campaign }: Claimed): Promise<CampaignState> {
  const now = await lockCampaign(tx, campaign.id);
  if (now?.leaseToken !== campaign.leaseToken) throw new LeaseLost(`campaign ${campaign.id} has changed`);
  return now;
}
