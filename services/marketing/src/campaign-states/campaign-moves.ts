import { Injectable } from '@nestjs/common';
import { databaseNow } from '@postmesh/database';
import type { EntityManager } from 'typeorm';
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

/** What the state machine knows of a campaign: the columns that only it writes, and its sender. */
export interface CampaignState {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly sendAt: Date | null;
  readonly startedAt: Date | null;
  readonly pausedAt: Date | null;
  readonly pauseCause: PauseCause | null;
  /** what the counters said when an operator let it go on: its rates are of what came after */
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
 * would wait for each other.
 */
export async function lockCampaign(tx: EntityManager, id: string): Promise<CampaignState | undefined> {
  const [found]: CampaignState[] = await tx.query(
    `select ${STATE_COLUMNS} from campaigns where id = $1 for update`,
    [id],
  );
  return found;
}

export interface Move<T extends CampaignTrigger> {
  readonly now: Date;
  /** where the trigger leads to more than one */
  readonly to?: StatusAfter<T>;
  readonly reason?: string;
  /** of Send; a draft has none */
  readonly sendAt?: Date;
  /** when the machine looks at it next; left out: not before somebody says so */
  readonly dueAt?: Date;
  readonly pause?: { readonly cause: PauseCause; readonly since: Date; readonly resumesAt: Date | null };
  /** an operator resumes it: its rates are counted anew */
  readonly rateBase?: Outcomes;
}

const MOVE = `update campaigns set status = $2, status_reason = $3, send_at = $4, send_resumes_at = $5, finished_at = $6,
    due_at = $7, started_at = $8, paused_at = $9, pause_cause = $10, rate_base = $11, updated_at = $12,
    checked_contacts = 0, invalid_contacts = 0, leased_until = null, lease_token = lease_token + 1
  where id = $1`;

/**
 * The one statement that changes the status of a campaign. It ends the lease of whoever looks at it: what that one has
 * decided meanwhile is void.
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

/** The machine looks at it as soon as this transaction is committed. */
export async function raiseCampaign(tx: Pick<EntityManager, 'query'>, id: string): Promise<void> {
  await tx.query('update campaigns set due_at = now() where id = $1 and (due_at is null or due_at > now())', [
    id,
  ]);
}

// While its cause may go away by itself; spec 3-marketing §4.2 wants it to go on within five minutes.
export const PAUSED_LOOK_MS = 60_000;

/** Pauses a campaign that sends (T14). */
@Injectable()
export class PauseCampaign {
  /**
   * @param tx has no lock on the campaign yet, not even `for share`
   * @returns false when it does not send (any more): nothing is changed then
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
