import { isEnding, isPassing, MAX_PAUSE_MS, type PauseCause } from './campaign-state.rules.js';

const DAY_MS = 86_400_000;

/** When the next day of the daily limit begins (spec 3-marketing §4.4). */
export const nextUtcDay = (now: Date): Date => new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS);

/** The current facts of a campaign's account, sender and limit. */
export interface SendingFacts {
  readonly account: 'active' | 'suspended' | 'deleted';
  readonly sender: 'usable' | 'deleted' | 'paused' | 'dns_invalid';
}

/** The reason why a campaign cannot continue now; the account takes precedence, as the graver reason. */
export function outerCause({ account, sender }: SendingFacts): PauseCause | undefined {
  if (account === 'suspended') return 'suspended';
  if (sender === 'paused') return 'domain_paused';
  if (sender === 'dns_invalid') return 'domain_dns';
  return undefined;
}

/** The reason why a started campaign can never continue (T18). */
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
 * Detects too many bounces or complaints of a campaign (spec 3-marketing §4.2): the share of bounces in all outcomes, of
 * complaints in delivered messages, from a minimum of outcomes on.
 * @param base counts to subtract since an operator resumed it
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

/** Whether the 72 hours of T19 are over. @param since start of the first of consecutive causes of this kind */
const pausedTooLong = (cause: PauseCause, since: Date, now: Date): boolean =>
  isEnding(cause) && now.getTime() - since.getTime() >= MAX_PAUSE_MS;

/** The start of a pause when its cause changes: consecutive causes of one kind are one pause. */
const sinceAfter = (before: PauseCause, after: PauseCause, since: Date, now: Date): Date =>
  isEnding(before) && isEnding(after) ? since : now;

/** The interval at which a sending campaign is checked: its rates, its sender, its account. */
export const SENDING_LOOK_MS = 10_000;

/** The next step of a paused campaign. */
export type PausedStep =
  | { readonly kind: 'stay' | 'resume' | 'give_up' }
  | { readonly kind: 'other_cause'; readonly cause: PauseCause; readonly since: Date };

export interface Pause {
  readonly cause: PauseCause;
  readonly since: Date;
  readonly now: Date;
  /** the reason why it could not continue now */
  readonly outer: PauseCause | undefined;
  /** for the daily limit: whether this campaign is below it */
  readonly hasBudget: boolean;
}

// The month's credit is only known by a try, repeated at this interval (spec 3-marketing §4.4 rule 5 by analogy).
const CREDIT_RETRY_MS = 300_000;

/** Spec 3-marketing §4.2: causes end automatically, change, or end the campaign (T15, T19). */
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
