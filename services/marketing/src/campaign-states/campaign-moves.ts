import { Injectable } from '@nestjs/common';
import { ApiErrors } from '@postmesh/contracts';
import { databaseNow } from '@postmesh/database';
import type { DataSource, EntityManager } from 'typeorm';
import {
  FINAL_STATUSES,
  isPassing,
  PAUSE_REASONS,
  requireTransition,
  statusAfter,
  type CampaignStatus,
  type CampaignTrigger,
  type PauseCause,
  type StatusAfter,
} from './campaign-state.rules.js';
import { nextUtcDay, type Outcomes } from './pause.rules.js';

/** A campaign's columns for the state machine, their only writer, and its sender. */
export interface CampaignState {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly sendAt: Date | null;
  readonly startedAt: Date | null;
  readonly pausedAt: Date | null;
  readonly pauseCause: PauseCause | null;
  /** the counters at the time when an operator resumed it: its rates count from there */
  readonly rateBase: Outcomes | null;
  readonly fromDomain: string | null;
  readonly fromDomainId: string | null;
  readonly leaseToken: string;
}

export const STATE_COLUMNS = `campaigns.id, campaigns.account_id as "accountId", campaigns.name, campaigns.status,
  campaigns.send_at as "sendAt", campaigns.started_at as "startedAt", campaigns.paused_at as "pausedAt",
  campaigns.pause_cause as "pauseCause", campaigns.rate_base as "rateBase", campaigns.from_domain as "fromDomain",
  campaigns.from_domain_id as "fromDomainId", campaigns.lease_token as "leaseToken"`;

/**
 * Locks a campaign for a change of its state. Never in a transaction that has locked the row `for share`: two of those
 * would deadlock.
 */
export async function lockCampaign(tx: EntityManager, id: string): Promise<CampaignState | undefined> {
  const [found]: CampaignState[] = await tx.query(
    `select ${STATE_COLUMNS} from campaigns where id = $1 for update`,
    [id],
  );
  return found;
}

// As for changes by customers (spec 3-marketing §3.2 U17).
const LOCK_TIMEOUT = '10s';

/** A change by a person: the campaign is locked. @throws ApiError 404 */
export function changeCampaign<T>(
  dataSource: DataSource,
  { id, accountId }: { id: string; accountId?: string },
  make: (tx: EntityManager, campaign: CampaignState, now: Date) => Promise<T>,
): Promise<T> {
  return dataSource.transaction(async (tx) => {
    await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    const campaign = await lockCampaign(tx, id);
    if (!campaign || campaign.accountId !== (accountId ?? campaign.accountId)) {
      throw ApiErrors.notFound('campaign');
    }
    return make(tx, campaign, await databaseNow(tx));
  });
}

export interface Move<T extends CampaignTrigger> {
  readonly now: Date;
  /** for a trigger with more than one target status */
  readonly to?: StatusAfter<T>;
  readonly reason?: string;
  /** the time given with Send; null for a draft */
  readonly sendAt?: Date;
  /** the next run of the machine; default: no run until another write */
  readonly dueAt?: Date;
  readonly pause?: { readonly cause: PauseCause; readonly since: Date; readonly resumesAt: Date | null };
  /** set when an operator resumes it: its rates count from there */
  readonly rateBase?: Outcomes;
}

const MOVE = `update campaigns set status = $2, status_reason = $3, send_at = $4, send_resumes_at = $5, finished_at = $6,
    due_at = $7, started_at = $8, paused_at = $9, pause_cause = $10, rate_base = $11, updated_at = $12,
    checked_contacts = 0, invalid_contacts = 0, leased_until = null, lease_token = lease_token + 1
  where id = $1`;

/**
 * The only statement that changes the status of a campaign. It ends the lease of a run in progress, whose decision is
 * void then.
 * @param campaign as locked in this transaction
 * @throws ApiError 409 for a move that is not in the table
 */
export async function moveCampaign<T extends CampaignTrigger>(
  tx: EntityManager,
  campaign: CampaignState,
  trigger: T,
  move: Move<T>,
): Promise<CampaignStatus> {
  requireTransition(trigger, campaign.status);
  const to: CampaignStatus = move.to ?? statusAfter(trigger);
  const { now, pause } = move;
  await tx.query(MOVE, [
    campaign.id,
    to,
    move.reason ?? null,
    to === 'draft' ? null : (move.sendAt ?? campaign.sendAt),
    pause?.resumesAt ?? null,
    FINAL_STATUSES.includes(to) ? now : null,
    move.dueAt ?? null,
    to === 'sending' ? (campaign.startedAt ?? now) : campaign.startedAt,
    pause?.since ?? null,
    pause?.cause ?? null,
    jsonOf(move.rateBase ?? campaign.rateBase),
    now,
  ]);
  return to;
}

const jsonOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** Makes the campaign due at the commit of this transaction. */
export async function raiseCampaign(tx: Pick<EntityManager, 'query'>, id: string): Promise<void> {
  await tx.query('update campaigns set due_at = now() where id = $1 and (due_at is null or due_at > now())', [
    id,
  ]);
}

// While its cause may end automatically; spec 3-marketing §4.2 requires it to continue within five minutes.
export const PAUSED_LOOK_MS = 60_000;

/** Pauses a sending campaign (T14). */
@Injectable()
export class PauseCampaign {
  /**
   * @param tx has no lock on the campaign yet, not even `for share`
   * @returns false when it is not sending: nothing is changed then
   */
  async execute(tx: EntityManager, campaignId: string, cause: PauseCause): Promise<boolean> {
    const campaign = await lockCampaign(tx, campaignId);
    if (campaign?.status !== 'sending') return false;
    await pauseCampaign(tx, campaign, cause, await databaseNow(tx));
    return true;
  }
}

/** @param campaign as locked in this transaction */
export async function pauseCampaign(
  tx: EntityManager,
  campaign: CampaignState,
  cause: PauseCause,
  now: Date,
): Promise<void> {
  await moveCampaign(tx, campaign, 'pause', {
    now,
    reason: PAUSE_REASONS[cause],
    pause: { cause, since: now, resumesAt: cause === 'daily_limit' ? nextUtcDay(now) : null },
    ...(isPassing(cause) ? { dueAt: new Date(now.getTime() + PAUSED_LOOK_MS) } : {}),
  });
}

/** A paused campaign stays so for another cause. @param campaign as locked in this transaction */
export async function changePauseCause(
  tx: EntityManager,
  { id }: CampaignState,
  { cause, since, now }: { cause: PauseCause; since: Date; now: Date },
): Promise<void> {
  await tx.query(OTHER_CAUSE, [id, cause, PAUSE_REASONS[cause], since, now]);
}

const OTHER_CAUSE = `update campaigns set pause_cause = $2, status_reason = $3, paused_at = $4, updated_at = $5,
    send_resumes_at = null where id = $1`;
