import { Injectable } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { CountersRepository, type FigureSums } from './counters.repository.js';
import { OVERVIEW_HOURS, type StatisticsOverview } from './statistics.resource.js';
import { HOUR_MS, startOf } from './time-ranges.rules.js';

/** The figures of all messages of an account in recent periods, those of campaigns included. */
@Injectable()
export class ReadOverview {
  constructor(private readonly counters: CountersRepository) {}

  async execute(accountId: AccountId, now: Date): Promise<StatisticsOverview> {
    // whole hours: they are in counters, however many single facts there are
    const to = new Date(startOf('hour', now).getTime() + HOUR_MS);
    const ranges = OVERVIEW_HOURS.map((hours) => ({
      from: new Date(startOf('hour', now).getTime() - hours * HOUR_MS),
      to,
    }));
    const sums = await this.counters.sums(accountId, ranges);
    return {
      object: 'statistics_overview',
      periods: OVERVIEW_HOURS.map((hours, nth) => ({
        hours,
        from_timestamp: ranges[nth]?.from.toISOString() ?? '',
        ...countsOf(sums[nth]),
      })),
    };
  }
}

const countsOf = (sums: FigureSums | undefined) => ({
  reception_count: sums?.received ?? 0,
  delivered_count: sums?.delivered ?? 0,
  deferred_count: sums?.deferred ?? 0,
  bounced_count: sums?.bounced ?? 0,
  failed_count: sums?.failed ?? 0,
  suppressed_count: sums?.suppressed ?? 0,
  complaint_count: sums?.complained ?? 0,
});
