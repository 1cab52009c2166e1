import { isEnding, isPassing, MAX_PAUSE_MS, type PauseCause } from './campaign-state.rules.js';

const DAY_MS = 86_400_000;

/** When the next day of the daily limit begins (spec 3-marketing §4.4). */
export const nextUtcDay = (now: Date): Date => new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);

/** What is known of a campaign's account, sender and limit at the moment in which it is looked at. */
export interface SendingFacts {
  readonly account: 'active' | 'suspended' | 'deleted';
  readonly sender: 'usable' | 'deleted' | 'paused' | 'dns_invalid';
}

/** Why a campaign cannot go on at this moment; the account comes first, as it is the graver. */
export function outerCause({ account, sender }: SendingFacts): PauseCause | undefined {
  if (account === 'suspended') return 'suspended';
  if (sender === 'paused') return 'domain_paused';
  if (sender === 'dns_invalid') return 'domain_dns';
  return undefined;
}

/** Why a campaign that has begun can never go on (T18). */
export function endCause({ account, sender }: SendingFacts): 'account_closed' | 'domain_deleted' | undefined {
  if (account === 'deleted') return 'account_closed';
  return sender === 'deleted' ? 'domain_deleted' : undefined;
}

export interface Outcomes {
  readonly delivered: number;
  readonly bounced: number;
  readonly complained: number;
}

export interface RateLimits {
  readonly bounceRate: number;
  readonly complaintRate: number;
  readonly minOutcomes: number;
}

/**
 * A campaign that bounces or is complained of too much (spec 3-marketing §4.2): bounces of all outcomes, complaints of
 * what was delivered, from so many outcomes on.
 * @param base what does not count any more since an operator let it go on
 */
export function rateCause(
  now: Outcomes,
  base: Outcomes | null,
  limits: RateLimits,
): 'bounces' | 'complaints' | undefined {
  const delivered = now.delivered - (base?.delivered ?? 0);
  const bounced = now.bounced - (base?.bounced ?? 0);
  const complained = now.complained - (base?.complained ?? 0);
  if (delivered + bounced < limits.minOutcomes) return undefined;
  if (bounced > limits.bounceRate * (delivered + bounced)) return 'bounces';
  return complained > limits.complaintRate * delivered ? 'complaints' : undefined;
}

/** Whether the 72 hours of T19 are over. @param since when the first cause of this kind in a row came */
const pausedTooLong = (cause: PauseCause, since: Date, now: Date): boolean =>
  isEnding(cause) && now.getTime() - since.getTime() >= MAX_PAUSE_MS;

/** Since when a pause lasts whose cause gives way to another: one kind in a row is one pause. */
const sinceAfter = (before: PauseCause, after: PauseCause, since: Date, now: Date): Date =>
  isEnding(before) && isEnding(after) ? since : now;

/** A campaign that sends is looked at so often: its rates, its sender, its account. */
export const SENDING_LOOK_MS = 10_000;

/** What becomes of a paused campaign. */
export type PausedStep =
  | { readonly kind: 'stay' | 'resume' | 'give_up' }
  | { readonly kind: 'other_cause'; readonly cause: PauseCause; readonly since: Date };

export interface Pause {
  readonly cause: PauseCause;
  readonly since: Date;
  readonly now: Date;
  /** why it could not go on at this moment */
  readonly outer: PauseCause | undefined;
  /** of the daily limit: whether there is room for this campaign */
  readonly hasBudget: boolean;
}

// The month's credit is known by trying: it is tried again so often (spec 3-marketing §4.4 rule 5 by analogy).
const CREDIT_RETRY_MS = 300_000;

/** Spec 3-marketing §4.2: causes go away by themselves, give way to another, or end the campaign (T15, T19). */
export function nextStep({ cause, since, now, outer, hasBudget }: Pause): PausedStep {
  if (!isPassing(cause)) return { kind: 'stay' };
  if (outer !== undefined) {
    const sinceThen = sinceAfter(cause, outer, since, now);
    if (pausedTooLong(outer, sinceThen, now)) return { kind: 'give_up' };
    return outer === cause ? { kind: 'stay' } : { kind: 'other_cause', cause: outer, since: sinceThen };
  }
  if (cause === 'daily_limit') return { kind: hasBudget ? 'resume' : 'stay' };
  if (cause === 'monthly_limit') {
    return { kind: now.getTime() - since.getTime() >= CREDIT_RETRY_MS ? 'resume' : 'stay' };
  }
  return { kind: 'resume' };
}
