import { SYSTEM_ACCOUNT_ID, type AccountId } from '@postmesh/contracts';
import { BounceClass, ReplyKind, suppressionOf, type Suppresses } from '@postmesh/smtp-replies';
import type { EffectiveOutcome, OutcomeFacts } from '../message-status/delivery-outcomes.rules.js';
import type { SuppressionCause } from '../suppressions/suppression.rules.js';

/** A final outcome for a reason on the recipient's side. */
export interface RecipientTrouble {
  accountId: AccountId;
  /** the sending domain */
  domain: string;
  email: string;
  messageId: string;
  /** its kind of reason, for suppression at once or as one of three */
  weight: keyof typeof REASONS;
}

/** The changes of the suppression list by outcomes. */
export interface SuppressionPlan {
  /** suppressed at once */
  causes: SuppressionCause[];
  /** suppressed when there are three */
  counted: RecipientTrouble[];
}

/** Spec 2-messages §15.3. */
const REASONS = { hard: 'Too many hard bounces', soft: 'Too many soft bounces' } as const;
const DAYS = { hard: 30, soft: 7, exhausted: 15 } as const;
export const TROUBLES = { count: 3, withinDays: 30 } as const;

const DAY_MS = 86_400_000;

/** @param outcomes that changed the status of their message */
export function planSuppressions(outcomes: readonly EffectiveOutcome[], now: Date): SuppressionPlan {
  const plan: SuppressionPlan = { causes: [], counted: [] };
  for (const { accountId, data } of outcomes) {
    const end = endOf(data);
    if (end === undefined || accountId === null || accountId === SYSTEM_ACCOUNT_ID) continue;
    const { domain, recipient: email, message_id: messageId } = data;
    const trouble = { accountId: accountId as AccountId, domain, email, messageId, weight: end.weight };
    if (end.days === undefined) plan.counted.push(trouble);
    else plan.causes.push(suppressionFor(trouble, end.days, now));
  }
  return plan;
}

/** The third trouble of one weight within 30 days. */
export const thirdTrouble = (trouble: RecipientTrouble, now: Date): SuppressionCause =>
  suppressionFor(trouble, DAYS[trouble.weight], now);

function suppressionFor(
  { accountId, domain, email, messageId, weight }: RecipientTrouble,
  days: number,
  now: Date,
): SuppressionCause {
  return {
    ...{ accountId, domain, email, messageId },
    reason: REASONS[weight],
    protected: false,
    source: 'automatic',
    createdAt: now,
    expiresAt: new Date(now.getTime() + days * DAY_MS),
  };
}

/** @returns the days of suppression; without days it counts; undefined when it is no evidence about the recipient */
function endOf(data: OutcomeFacts): { weight: keyof typeof REASONS; days?: number } | undefined {
  const { outcome, reply, give_up: giveUp, sandbox } = data;
  if (sandbox || !reply || (outcome !== 'bounced' && outcome !== 'failed')) return undefined;
  const suppresses = verdictOf(reply, outcome === 'failed');
  if (suppresses === 'hard') return { weight: 'hard', days: DAYS.hard };
  if (suppresses === 'repeated') return { weight: 'hard' };
  if (suppresses !== 'soft' || !giveUp) return undefined;
  if (giveUp !== 'expires') return { weight: 'soft', days: DAYS.exhausted };
  // the sender's own expiry is no evidence against a slow server, but a full mailbox is full at any time
  return isOfMailbox(reply) ? { weight: 'soft' } : undefined;
}

const OF_MAILBOX = new Set<string>(['mailbox', 'inactive', 'quota', 'QuotaIssues']);
const isOfMailbox = ({ kind, classification }: NonNullable<OutcomeFacts['reply']>): boolean =>
  OF_MAILBOX.has(kind ?? classification ?? '');

/** A worker of an older version sends no kind: then the class decides. */
function verdictOf(reply: NonNullable<OutcomeFacts['reply']>, temporary: boolean): Suppresses {
  const kind = ReplyKind.safeParse(reply.kind);
  if (kind.success) return suppressionOf(kind.data, temporary);
  const named = BounceClass.safeParse(reply.classification);
  // without a reply the cause may be ours
  if (!named.success || reply.smtp_code === 0) return 'never';
  const verdict = BY_CLASS[named.data];
  if (temporary) return verdict === 'never' ? 'never' : 'soft';
  return verdict;
}

const BY_CLASS: Readonly<Record<BounceClass, 'hard' | 'repeated' | 'never'>> = {
  InvalidRecipient: 'hard',
  BadDomain: 'hard',
  InactiveMailbox: 'hard',
  InvalidSender: 'never',
  QuotaIssues: 'repeated',
  NoAnswerFromHost: 'repeated',
  BadConnection: 'repeated',
  DNSFailure: 'repeated',
  RoutingErrors: 'repeated',
  TransientFailure: 'repeated',
  MessageExpired: 'repeated',
  ProtocolErrors: 'never',
  AuthenticationFailed: 'never',
  PolicyRelated: 'never',
  Uncategorized: 'repeated',
};
