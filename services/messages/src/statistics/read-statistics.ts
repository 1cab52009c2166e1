import { Injectable } from '@nestjs/common';
import { eachBounded } from '@postmesh/concurrency';
import type { AccountId, Principal } from '@postmesh/contracts';
import { DomainDirectory } from '@postmesh/domains-contract';
import { CountersRepository, type FiguresQuery } from './counters.repository.js';
import { authorisedDomains, invalidSenderDomain, type StatisticsQuery } from './statistics-query.rules.js';
import {
  deliverabilityCounts,
  type BounceResponse,
  type DeliverabilityResponse,
  type DeliveryTimeResponse,
} from './statistics.resource.js';
import type { TimeRange } from './time-ranges.rules.js';

export interface StatisticsCommand {
  principal: Principal;
  query: StatisticsQuery;
}

const LOOK_UPS_AT_ONCE = 8;
// About 9 MB of JSON. A month of days lists 3,000 recipient domains per day, a single bucket this many.
const MAX_LISTED_DOMAINS = 100_000;

/** The three reads of spec 1-platform §15. */
@Injectable()
export class ReadStatistics {
  constructor(
    private readonly counters: CountersRepository,
    private readonly domains: DomainDirectory,
  ) {}

  async deliverability(command: StatisticsCommand): Promise<DeliverabilityResponse> {
    const rows = byBucket(await this.counters.figures(await this.authorise(command)));
    return inBuckets(command.query.buckets, (key) => deliverabilityCounts(rows.get(key)?.[0]));
  }

  async bounce(command: StatisticsCommand): Promise<BounceResponse> {
    const rows = byBucket(await this.counters.bounces(await this.authorise(command)));
    return inBuckets(command.query.buckets, (key) => ({
      bounces: (rows.get(key) ?? []).map(({ classification, count }) => ({ classification, count })),
    }));
  }

  async deliveryTime(command: StatisticsCommand): Promise<DeliveryTimeResponse> {
    const { buckets } = command.query;
    const maxDomains = Math.floor(MAX_LISTED_DOMAINS / buckets.length);
    const rows = byBucket(await this.counters.deliveryTimes(await this.authorise(command), maxDomains));
    return inBuckets(buckets, (key) => {
      const row = rows.get(key)?.[0];
      const seconds = row ? row.deliveryMs / row.delivered / 1_000 : 0;
      return {
        avg_delivery_time: Math.round(seconds * 1_000) / 1_000,
        delivered_count: row?.delivered ?? 0,
        delivery_times: row?.domains ?? [],
      };
    });
  }

  /** @throws ApiError 400 or 403 for a sending domain */
  private async authorise({ principal, query }: StatisticsCommand): Promise<FiguresQuery> {
    const senderDomains = authorisedDomains(principal, query.senderDomains);
    const accountId = principal.account_id;
    if (query.senderDomains.length > 0) await this.requireOwned(accountId, senderDomains ?? []);
    const { range, grouping, recipientDomains, tags } = query;
    return { accountId, range, grouping, senderDomains, recipientDomains, tags };
  }

  private async requireOwned(accountId: AccountId, domains: readonly string[]): Promise<void> {
    const strange = new Set<string>();
    await eachBounded(domains, LOOK_UPS_AT_ONCE, async (domain) => {
      if (!(await this.domains.find(accountId, domain))) strange.add(domain);
    });
    const first = domains.find((domain) => strange.has(domain));
    if (first !== undefined) throw invalidSenderDomain(first);
  }
}

function byBucket<T extends { bucket: Date }>(rows: readonly T[]): Map<number, T[]> {
  const found = new Map<number, T[]>();
  for (const row of rows) {
    const key = row.bucket.getTime();
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return found;
}

/** Every bucket, also those without a row (spec 1-platform §15 rule 2). */
function inBuckets<T>(buckets: readonly TimeRange[], figuresOf: (key: number) => T) {
  return {
    object: 'list' as const,
    data: buckets.map(({ from, to }) => ({
      from_timestamp: from.toISOString(),
      to_timestamp: to.toISOString(),
      ...figuresOf(from.getTime()),
    })),
  };
}
