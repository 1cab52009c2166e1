import { SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import { providerOfHost } from '@postmesh/smtp-replies';
import type { SendRequest } from '../accept/send-request.rules.js';
import type { EffectiveOutcome } from '../message-status/delivery-outcomes.rules.js';
import type { MessageTracking } from '../tracking/tracked-messages.rules.js';

/** The figures, each counted once per message (spec 1-platform §15 rule 3). */
export const FIGURES = [
  'received',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'opened',
  'clicked',
  // in the overview of the console alone
  'complained',
] as const;
export type Figure = (typeof FIGURES)[number];

/** A number of messages of one kind at one time. A row of `statistics_facts`. */
export interface StatisticsFact {
  accountId: string;
  /** the sending domain */
  domain: string;
  recipientDomain: string;
  /** sorted; null when there are none */
  tags: readonly string[] | null;
  /** time of the event; with several within one second, the first */
  at: Date;
  figure: Figure;
  /** bounces only */
  classification: string | null;
  count: number;
  /** sum over all messages from acceptance to delivery; deliveries only */
  deliveryMs: number;
  /**
   * a campaign's: in the bounce rate of the domain and the overview of the console, and in no figure of statistics
   * (spec 1-platform §15 rule 4)
   */
  campaign: boolean;
  /** the template of the send; null: without one */
  templateId: string | null;
  /** the mailbox provider whose host was connected to; null: not known, or no outcome of the provider */
  provider: string | null;
}

/** Hosts of no provider that has a row in libs/smtp-replies. */
const OTHER_PROVIDERS = 'other';

/** The dimensions of a fact. */
type Subject = Pick<StatisticsFact, 'accountId' | 'domain' | 'tags'> & {
  recipient: string;
  campaign?: boolean;
  templateId?: string | null | undefined;
};

const SECOND_MS = 1_000;

/**
 * Facts of one transaction. Facts that differ only within a second are one row: in a burst to a few large providers
 * a commit writes one row instead of hundreds, and a message alone in its commit keeps its exact time.
 */
class FactSums {
  private readonly facts = new Map<string, StatisticsFact>();

  add(
    subject: Subject,
    figure: Figure,
    at: Date,
    more: { classification?: string; deliveryMs?: number; provider?: string | null } = {},
  ) {
    const { accountId, domain, recipient, campaign = false, templateId = null } = subject;
    // the sums of campaigns have no further dimension
    const tags = campaign ? null : subject.tags;
    const recipientDomain = campaign ? '' : recipient.slice(recipient.lastIndexOf('@') + 1);
    const { classification = null, provider = null } = more;
    const second = Math.floor(at.getTime() / SECOND_MS);
    const about = [
      accountId,
      campaign,
      domain,
      recipientDomain,
      second,
      figure,
      classification,
      templateId,
      provider,
    ];
    const key = [...about, ...(tags ?? [])].join('\n');
    const fact = this.facts.get(key);
    if (!fact) {
      const sums = { count: 1, deliveryMs: more.deliveryMs ?? 0 };
      const of = { accountId, domain, recipientDomain, tags, campaign, templateId, provider };
      this.facts.set(key, { ...of, at, figure, classification, ...sums });
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

/** The normal form of a set of tags. */
const tagSet = (tags: readonly string[] | undefined): string[] | null =>
  tags && tags.length > 0 ? [...new Set(tags)].sort() : null;

/** Receptions, and immediate suppressions. Sandbox sends do not count (spec 1-platform §15 rule 4). */
export function acceptedFacts(
  sendRequests: readonly Pick<SendRequest, 'row' | 'messages'>[],
): StatisticsFact[] {
  const sums = new FactSums();
  for (const { row, messages } of sendRequests) {
    if (row.sandbox !== null) continue;
    const campaign = row.campaignId !== null;
    const { accountId, domain, templateId } = row;
    const shared = { accountId, domain, tags: tagSet(row.tags), campaign, templateId };
    for (const { recipient, status } of messages) {
      sums.add({ ...shared, recipient }, 'received', row.createdAt);
      if (status === 'Suppressed') sums.add({ ...shared, recipient }, 'suppressed', row.createdAt);
    }
  }
  return sums.rows;
}

/** The first open and the first click by a person. */
export function trackedFacts(changes: readonly MessageTracking[]): StatisticsFact[] {
  const sums = new FactSums();
  for (const { message, firstOpenAt, firstClickAt } of changes) {
    if (message.sandbox || message.campaignId !== null) continue;
    const { accountId, domain, recipient, templateId } = message;
    const subject = { accountId, domain, recipient, tags: tagSet(message.tags), templateId };
    if (firstOpenAt) sums.add(subject, 'opened', firstOpenAt);
    if (firstClickAt) sums.add(subject, 'clicked', firstClickAt);
  }
  return sums.rows;
}

/** Outcomes that changed the status of their message, including only the first deferral. */
export function outcomeFacts(outcomes: readonly EffectiveOutcome[]): StatisticsFact[] {
  const sums = new FactSums();
  for (const { accountId, data, before, templateId } of outcomes) {
    if (data.sandbox || accountId === null || accountId === SYSTEM_ACCOUNT_ID) continue;
    if (data.outcome === 'deferred' && before === 'Deferred') continue;
    const campaign = data.campaign_id !== undefined;
    const { domain, recipient } = data;
    const subject = { accountId, domain, tags: tagSet(data.tags), recipient, campaign, templateId };
    const provider = data.remote_host && (providerOfHost(data.remote_host) ?? OTHER_PROVIDERS);
    sums.add(subject, data.outcome, new Date(data.finished_at), { ...detailsOf(data), provider });
  }
  return sums.rows;
}

function detailsOf(data: EffectiveOutcome['data']): { classification?: string; deliveryMs?: number } {
  if (data.outcome === 'bounced') return { classification: data.reply?.classification || 'Uncategorized' };
  if (data.outcome !== 'delivered') return {};
  const since = data.accepted_at ?? data.first_attempt_at ?? data.finished_at;
  return { deliveryMs: Math.max(0, Date.parse(data.finished_at) - Date.parse(since)) };
}

/** The complaint of a recipient. */
export function complaintFact(
  message: Omit<Subject, 'campaign'> & { campaignId: string | null },
  at: Date,
  provider: string | null,
): StatisticsFact[] {
  const sums = new FactSums();
  const { accountId, domain, recipient, tags, campaignId, templateId } = message;
  const of = { accountId, domain, recipient, tags: tagSet(tags ?? []), templateId };
  sums.add({ ...of, campaign: campaignId !== null }, 'complained', at, { provider });
  return sums.rows;
}
