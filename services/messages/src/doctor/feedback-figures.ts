import { Injectable } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import type { FeedbackFigures } from '@postmesh/domains-contract';
import { GroupedCounters, type ProviderDay } from '../statistics/grouped-counters.js';
import { DAY_MS } from '../statistics/time-ranges.rules.js';

const DAYS = 30;
/** The last report is looked for in this time. */
const LOOKED_BACK_DAYS = 90;

/** Complaints that came by the feedback loops of providers, about messages of a domain. */
@Injectable()
export class FeedbackOfDomain {
  constructor(private readonly counters: GroupedCounters) {}

  /** @returns none for a provider that got no mail of the domain and sent no report about it */
  async of(accountId: AccountId, domain: string): Promise<FeedbackFigures[]> {
    const now = new Date();
    const from = new Date(now.getTime() - LOOKED_BACK_DAYS * DAY_MS);
    const days = await this.counters.daysOf('yahoo', { accountId, domain, from });
    return days.length === 0 ? [] : [feedbackOf(days, now)];
  }
}

/**
 * A provider that sends no report may know of no complaint, or not have the domain in its feedback loop: without a report in
 * the period the number of complaints is unknown, and never zero.
 */
export function feedbackOf(days: readonly ProviderDay[], now: Date): FeedbackFigures {
  const first = new Date(now.getTime() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const shown = days.filter(({ day }) => day >= first);
  const delivered = shown.reduce((sum, day) => sum + day.delivered, 0);
  const complained = shown.reduce((sum, day) => sum + day.complained, 0);
  const reported = days.filter((day) => day.complained > 0);
  return {
    provider: 'yahoo',
    source: 'Yahoo Complaint Feedback Loop',
    read_at: now.toISOString(),
    days_shown: DAYS,
    delivered: delivered === 0 ? null : delivered,
    complained: complained === 0 ? null : complained,
    // complaints come days after their messages: more of them than deliveries are no share
    share: complained === 0 || complained > delivered ? null : complained / delivered,
    last_report_day: reported.at(-1)?.day ?? null,
    days: reported
      .filter(({ day }) => day >= first)
      .map(({ day, complained: reports }) => ({ day, reports })),
  };
}
