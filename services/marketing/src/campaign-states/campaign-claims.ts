import type { DataSource, EntityManager } from 'typeorm';
import { lockCampaign, STATE_COLUMNS, type CampaignState } from './campaign-moves.js';

// A worker that was killed is followed by another one after this; one that works says so three times as often.
export const LEASE_MS = 30_000;
export const RENEW_MS = 10_000;

/** Somebody else looks at the campaign by now, or changed its status: what was decided is void. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** A campaign that this process looks at. */
export interface Claimed {
  readonly campaign: CampaignState;
  /** when it is looked at next, unless somebody says otherwise meanwhile */
  readonly dueAt: Date;
}

export interface ClaimOptions {
  /** `slow`: those whose check or snapshot takes long */
  readonly lane: 'slow' | 'quick';
  readonly limit: number;
  /** accounts that this process has one in flight of, in this lane */
  readonly busyAccounts: readonly string[];
  /** after which time it is looked at again, unless this look says otherwise */
  readonly againMs: number;
}

// One of each account at a time: whoever has a thousand campaigns due delays nobody.
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

/** Takes due campaigns that nobody looks at. */
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

/** Rows that a transaction of this process has locked keep their lease by the lock. */
export async function renewLeases(dataSource: DataSource, claims: readonly Claimed[]): Promise<void> {
  if (claims.length === 0) return;
  await dataSource.query(
    `update campaigns set leased_until = now() + interval '${LEASE_MS} milliseconds' where id = any(array(
       select id from campaigns join unnest($1::uuid[], $2::bigint[]) as held(id, lease_token) using (id, lease_token)
       for update of campaigns skip locked))`,
    [claims.map(({ campaign }) => campaign.id), claims.map(({ campaign }) => campaign.leaseToken)],
  );
}

/** Ends the lease. What was said to be due meanwhile is due. @param nextAt null: not before somebody says so */
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
 * For the transaction that does what was decided.
 * @returns the campaign as it is now, locked
 * @throws LeaseLost
 */
export async function lockClaimed(tx: EntityManager, { campaign }: Claimed): Promise<CampaignState> {
  const now = await lockCampaign(tx, campaign.id);
  if (now?.leaseToken !== campaign.leaseToken) throw new LeaseLost(`campaign ${campaign.id} has changed`);
  return now;
}
