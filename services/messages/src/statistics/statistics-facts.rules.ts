import { SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import type { SendRequest } from '../accept/send-request.rules.js';
import type { EffectiveOutcome } from '../message-status/delivery-outcomes.rules.js';
import type { MessageTracking } from '../tracking/tracked-messages.rules.js';

/** What is counted, each once per message (spec 1-platform §15 rule 3). */
export const FIGURES = [
  'received',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'opened',
  'clicked',
] as const;
export type Figure = (typeof FIGURES)[number];

/** So many messages of one kind at one time. A row of `statistics_facts`. */
export interface StatisticsFact {
  accountId: string;
  /** the sending domain */
  domain: string;
  recipientDomain: string;
  /** sorted; null when there are none */
  tags: readonly string[] | null;
  /** of the event; of several within one second, the first */
  at: Date;
  figure: Figure;
  /** bounces only */
  classification: string | null;
  count: number;
  /** from acceptance to delivery, all messages together; deliveries only */
  deliveryMs: number;
}

/** Who and what a fact is about. */
type Subject = Pick<StatisticsFact, 'accountId' | 'domain' | 'tags'> & { recipient: string };

const SECOND_MS = 1_000;

/**
 * Facts of one transaction. Those that differ only within a second are one row: in a burst to a few large providers
 * a commit writes one row instead of hundreds, and alone in its commit a message keeps its exact time.
 */
class FactSums {
  private readonly facts = new Map<string, StatisticsFact>();

  add(
    subject: Subject,
    figure: Figure,
    at: Date,
    more: { classification?: string; deliveryMs?: number } = {},
  ) {
    const { accountId, domain, tags, recipient } = subject;
    const recipientDomain = recipient.slice(recipient.lastIndexOf('@') + 1);
    const classification = more.classification ?? null;
    const second = Math.floor(at.getTime() / SECOND_MS);
    const key = [accountId, domain, recipientDomain, second, figure, classification, ...(tags ?? [])].join(
      '\n',
    );
    const fact = this.facts.get(key);
    if (!fact) {
      const sums = { count: 1, deliveryMs: more.deliveryMs ?? 0 };
      this.facts.set(key, { accountId, domain, recipientDomain, tags, at, figure, classification, ...sums });
      return;
    }
    fact.count += 1;
    fact.deliveryMs += more.deliveryMs ?? 0;
    if (at < fact.at) fact.at = at;
  }

  get rows(): StatisticsFact[] {
    return [...this.facts.values()];
  }
}

/** One spelling per set of tags. */
const tagSet = (tags: readonly string[] | undefined): string[] | null =>
  tags && tags.length > 0 ? [...new Set(tags)].sort() : null;

/** Receptions, and what is suppressed at once. Sandbox sends do not count (spec 1-platform §15 rule 4). */
export function acceptedFacts(
  sendRequests: readonly Pick<SendRequest, 'row' | 'messages'>[],
): StatisticsFact[] {
  const sums = new FactSums();
  for (const { row, messages } of sendRequests) {
    if (row.sandbox !== null) continue;
    const shared = { accountId: row.accountId, domain: row.domain, tags: tagSet(row.tags) };
    for (const { recipient, status } of messages) {
      sums.add({ ...shared, recipient }, 'received', row.createdAt);
      if (status === 'Suppressed') sums.add({ ...shared, recipient }, 'suppressed', row.createdAt);
    }
  }
  return sums.rows;
}

/** The first open and the first click of a person. */
export function trackedFacts(changes: readonly MessageTracking[]): StatisticsFact[] {
  const sums = new FactSums();
  for (const { message, firstOpenAt, firstClickAt } of changes) {
    if (message.sandbox) continue;
    const { accountId, domain, recipient } = message;
    const subject = { accountId, domain, recipient, tags: tagSet(message.tags) };
    if (firstOpenAt) sums.add(subject, 'opened', firstOpenAt);
    if (firstClickAt) sums.add(subject, 'clicked', firstClickAt);
  }
  return sums.rows;
}

/** Outcomes that changed the status of their message; of deferrals the first. */
export function outcomeFacts(outcomes: readonly EffectiveOutcome[]): StatisticsFact[] {
  const sums = new FactSums();
  for (const { accountId, data, before } of outcomes) {
    if (data.sandbox || accountId === null || accountId === SYSTEM_ACCOUNT_ID) continue;
    if (data.outcome === 'deferred' && before === 'Deferred') continue;
    const subject = { accountId, domain: data.domain, tags: tagSet(data.tags), recipient: data.recipient };
    sums.add(subject, data.outcome, new Date(data.finished_at), detailsOf(data));
  }
  return sums.rows;
}

function detailsOf(data: EffectiveOutcome['data']): { classification?: string; deliveryMs?: number } {
  if (data.outcome === 'bounced') return { classification: data.reply?.classification || 'Uncategorized' };
  if (data.outcome !== 'delivered') return {};
  const since = data.accepted_at ?? data.first_attempt_at ?? data.finished_at;
  return { deliveryMs: Math.max(0, Date.parse(data.finished_at) - Date.parse(since)) };
}
