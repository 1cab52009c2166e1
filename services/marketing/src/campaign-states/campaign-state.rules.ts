import { ApiError } from '@postmesh/contracts';
import type { CampaignSendProblem } from '@postmesh/messages-contract';

export const CAMPAIGN_STATUSES = [
  'draft',
  'validating',
  'waiting_for_review',
  'scheduled',
  'sending',
  'paused',
  'sent',
  'canceled',
  'failed',
] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

export const FINAL_STATUSES: readonly CampaignStatus[] = ['sent', 'canceled', 'failed'];
/** Statuses before sending, which Unschedule can reverse. */
const SCHEDULED_STATUSES = ['validating', 'waiting_for_review', 'scheduled'] as const;

/** The moves of a campaign (spec 3-marketing §4.1), with the allowed statuses before and after. */
export const TRANSITIONS = {
  send: { rule: 'T3', from: ['draft'], to: ['validating'] },
  schedule: { rule: 'T4', from: ['validating'], to: ['scheduled'] },
  start_checked: { rule: 'T5', from: ['validating'], to: ['sending'] },
  hold: { rule: 'T6', from: ['validating'], to: ['waiting_for_review'] },
  fail_checks: { rule: 'T7', from: ['validating'], to: ['failed'] },
  unschedule: { rule: 'T8', from: SCHEDULED_STATUSES, to: ['draft'] },
  approve: { rule: 'T9', from: ['waiting_for_review'], to: ['scheduled', 'sending'] },
  return: { rule: 'T10', from: ['waiting_for_review'], to: ['draft'] },
  reject: { rule: 'T11', from: ['waiting_for_review'], to: ['canceled'] },
  start: { rule: 'T12', from: ['scheduled'], to: ['sending'] },
  fail_start: { rule: 'T13', from: ['scheduled'], to: ['failed'] },
  pause: { rule: 'T14', from: ['sending'], to: ['paused'] },
  resume: { rule: 'T15', from: ['paused'], to: ['sending'] },
  complete: { rule: 'T16', from: ['sending'], to: ['sent'] },
  fail_sending: { rule: 'T17', from: ['sending'], to: ['failed'] },
  cancel: { rule: 'T18', from: [...SCHEDULED_STATUSES, 'sending', 'paused'], to: ['canceled'] },
  lose_domain: { rule: 'T18', from: ['sending', 'paused'], to: ['canceled'] },
  give_up: { rule: 'T19', from: ['paused'], to: ['canceled'] },
} as const satisfies Record<
  string,
  { rule: string; from: readonly CampaignStatus[]; to: readonly CampaignStatus[] }
>;
export type CampaignTrigger = keyof typeof TRANSITIONS;
type From<T extends CampaignTrigger> = (typeof TRANSITIONS)[T]['from'][number];
export type StatusAfter<T extends CampaignTrigger> = (typeof TRANSITIONS)[T]['to'][number];

/** The text of the API error for a move that is not allowed. */
const CONFLICTS: Partial<Record<CampaignTrigger, string>> = {
  send: 'campaign is not a draft',
  unschedule: 'campaign is not scheduled',
  approve: 'campaign is not waiting for review',
  return: 'campaign is not waiting for review',
  reject: 'campaign is not waiting for review',
  pause: 'campaign is not sending',
  resume: 'campaign is not paused',
  cancel: 'campaign is finished or was not sent',
};

export function mayMove(trigger: CampaignTrigger, from: string): boolean {
  const known: readonly string[] = TRANSITIONS[trigger].from;
  return known.includes(from);
}

/**
 * A move that is not in the table is refused.
 * @throws ApiError 409, which is the response of a request; nothing is changed then
 */
export function requireTransition<T extends CampaignTrigger>(
  trigger: T,
  from: string,
): asserts from is From<T> {
  if (mayMove(trigger, from)) return;
  throw new ApiError(409, CONFLICTS[trigger] ?? `a campaign that is ${from} cannot do that`);
}

/** The status after a trigger; the first one when there are two. */
export function statusAfter<T extends CampaignTrigger>(trigger: T): StatusAfter<T> {
  const [to] = TRANSITIONS[trigger].to;
  return to;
}

export const REVIEW_REASONS = {
  every_campaign: "the account's campaigns are reviewed before sending",
  bounces: 'too many of the checked contacts may bounce',
  content: 'the content needs a review',
} as const;
export type ReviewCause = keyof typeof REVIEW_REASONS;

/**
 * `monthly_limit` is ours: the account's credit of the month is used up (spec 1-platform §10.4 rule 6). `member` is ours,
 * too: a member of the account has paused it in the console.
 */
export const PAUSE_REASONS = {
  daily_limit: 'daily marketing limit reached',
  domain_paused: "sending from the sender's domain is paused",
  domain_dns: "the sender's domain has no valid DNS records",
  suspended: 'the account is suspended',
  bounces: 'too many messages bounced',
  complaints: 'too many recipients complained',
  operator: 'paused by an operator',
  member: 'paused by a member',
  monthly_limit: 'monthly sending limit reached',
} as const;
export type PauseCause = keyof typeof PAUSE_REASONS;
export const PAUSE_CAUSES = Object.keys(PAUSE_REASONS) as PauseCause[];

/** These causes end automatically; the others wait for a person without a time limit. */
const PASSING_CAUSES = [
  'daily_limit',
  'domain_paused',
  'domain_dns',
  'suspended',
  'monthly_limit',
] as const satisfies readonly PauseCause[];
/** These cancel a campaign that had no other cause for 72 h in a row (T19). */
const ENDING_CAUSES = ['domain_paused', 'domain_dns', 'suspended'] as const satisfies readonly PauseCause[];
export const MAX_PAUSE_MS = 72 * 3_600_000;

export const isPassing = (cause: PauseCause): boolean => within(PASSING_CAUSES, cause);
export const isEnding = (cause: PauseCause): boolean => within(ENDING_CAUSES, cause);
const within = (causes: readonly PauseCause[], cause: PauseCause) => causes.includes(cause);

export const CANCEL_REASONS = {
  operator: 'canceled by an operator',
  member: 'canceled by a member',
  rejected: 'rejected in review',
  paused_too_long: 'paused for too long',
  domain_deleted: "the sender's domain was deleted",
  account_closed: 'the account was closed',
} as const;

export const rejectedReason = (note: string | null): string =>
  note ? `${CANCEL_REASONS.rejected}: ${note}` : CANCEL_REASONS.rejected;

export const FAIL_REASONS = {
  no_subscribers: 'no subscribers to send to',
  domain_deleted: "the sender's domain was deleted",
  domain_paused: "sending from the sender's domain is paused",
  domain_dns: "the sender's domain has no valid DNS records",
  content: 'the content cannot be rendered',
  internal: 'internal error',
} as const;
export type FailCause = keyof typeof FAIL_REASONS;

/** The pause cause of a hand-over that stored nothing; a missing domain cancels the campaign instead (T18). */
export function pauseCauseOf(problem: CampaignSendProblem): PauseCause | undefined {
  return {
    account_suspended: 'suspended',
    credit_used_up: 'monthly_limit',
    domain_missing: undefined,
    domain_paused: 'domain_paused',
    domain_dns_invalid: 'domain_dns',
  }[problem] as PauseCause | undefined;
}
