import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UNNAMED } from '@postmesh/database';
import { FIGURES, type Figure } from './statistics-facts.rules.js';
import { planRead, type CompleteUntil, type Grouping, type TimeRange } from './time-ranges.rules.js';

/** The range and filters of figures of one account. */
export interface FiguresQuery {
  accountId: string;
  range: TimeRange;
  grouping: Grouping;
  /** null = all */
  senderDomains: readonly string[] | null;
  recipientDomains: readonly string[] | null;
  tags: readonly string[] | null;
}

type OfBucket<T> = { bucket: Date } & T;
export type FigureSums = Record<Figure, number>;
export interface BounceSum {
  classification: string;
  count: number;
}
export interface DeliveryTimes {
  delivered: number;
  deliveryMs: number;
  /** most messages first */
  domains: { recipient_domain: string; delivery_time: number; count: number }[];
}

/**
 * Reads the counters. One statement each, so that a concurrent fold cannot move a fact from a part that is not read yet
 * to one that is. Buckets without a row are left out.
 */
@Injectable()
export class CountersRepository {
  constructor(private readonly dataSource: DataSource) {}

  figures(query: FiguresQuery): Promise<OfBucket<FigureSums>[]> {
    return this.read(
      query,
      'total',
      `select bucket, ${each((figure) => `sum(${figure})::int as ${figure}`)} from found group by bucket`,
    );
  }

  bounces(query: FiguresQuery): Promise<OfBucket<BounceSum>[]> {
    return this.read(
      query,
      'total',
      `select bucket, classification, sum(bounced)::int as count from found
       where bounced > 0 group by bucket, classification order by count desc, classification`,
    );
  }

  /** @param maxDomains per bucket; the others are counted and not listed */
  deliveryTimes(query: FiguresQuery, maxDomains: number): Promise<OfBucket<DeliveryTimes>[]> {
    const listed = `json_build_object('recipient_domain', recipient_domain, 'delivery_time',
      round(ms / delivered / 1000, 3), 'count', delivered)`;
    return this.read(
      query,
      'recipient',
      `, sums as (
         select bucket, recipient_domain, sum(delivered)::int as delivered, sum(delivery_ms) as ms from found
         where delivered > 0 group by bucket, recipient_domain),
       ranked as (
         select *, row_number() over (partition by bucket order by delivered desc, recipient_domain) as nth from sums)
       select bucket, sum(delivered)::int as delivered, sum(ms)::float8 as "deliveryMs",
         json_agg(${listed} order by nth) filter (where nth <= ${maxDomains}) as domains
       from ranked group by bucket`,
    );
  }

  /**
   * The sums of each range over all messages of an account, those of campaigns included.
   * @param ranges of whole hours
   */
  async sums(accountId: string, ranges: readonly TimeRange[]): Promise<FigureSums[]> {
    const known = { completeUntil: await this.completeUntil(accountId), now: new Date() };
    const parts = ranges.flatMap((range, nth) =>
      planRead(range, 'day', known).counters.map((part) => ({ ...part, nth })),
    );
    const rows: ({ nth: number } & FigureSums)[] = await this.dataSource.query(`${UNNAMED} ${SUMS}`, [
      accountId,
      parts.map(({ nth }) => nth),
      parts.map(({ level }) => level),
      parts.map(({ from }) => from),
      parts.map(({ to }) => to),
    ]);
    return ranges.map((_, at) => rows.find(({ nth }) => nth === at) ?? NO_SUMS);
  }

  /** The sums of one sending domain, of campaigns apart from the rest. @param range of whole hours */
  async domainSums(
    accountId: string,
    domain: string,
    range: TimeRange,
  ): Promise<Record<'total' | 'campaigns', FigureSums>> {
    const known = { completeUntil: await this.completeUntil(accountId), now: new Date() };
    const parts = planRead(range, 'day', known).counters;
    const rows: ({ detail: string } & FigureSums)[] = await this.dataSource.query(
      `${UNNAMED} ${DOMAIN_SUMS}`,
      [
        accountId,
        domain,
        parts.map(({ level }) => level),
        parts.map(({ from }) => from),
        parts.map(({ to }) => to),
      ],
    );
    const of = (wanted: string) => rows.find(({ detail }) => detail === wanted) ?? NO_SUMS;
    return { total: of('total'), campaigns: of('campaigns') };
  }

  private async read<T>(query: FiguresQuery, detail: 'total' | 'recipient', select: string): Promise<T[]> {
    const known = { completeUntil: await this.completeUntil(query.accountId), now: new Date() };
    const { counters, facts } = planRead(query.range, query.grouping, known);
    return this.dataSource.query(`${UNNAMED} ${FOUND} ${select}`, [
      query.accountId,
      query.grouping,
      detailOf(query, detail),
      query.senderDomains,
      query.recipientDomains,
      query.tags,
      counters.map(({ level }) => level),
      counters.map(({ from }) => from),
      counters.map(({ to }) => to),
      facts.map(({ from }) => from),
      facts.map(({ to }) => to),
    ]);
  }

  /** Complete rows stay complete, so this may be read at any time before them. */
  private async completeUntil(accountId: string): Promise<CompleteUntil> {
    const rows: { level: keyof CompleteUntil; until: Date }[] = await this.dataSource.query(
      `select level, case when $1::uuid <= after_account
         then (complete_until at time zone 'UTC' + ('1 ' || level)::interval) at time zone 'UTC'
         else complete_until end as until from statistics_progress`,
      [accountId],
    );
    const of = (wanted: keyof CompleteUntil) =>
      rows.find(({ level }) => level === wanted)?.until ?? new Date(0);
    return { day: of('day'), month: of('month') };
  }
}

const each = (write: (figure: Figure) => string): string => FIGURES.map(write).join(', ');

const SUMS = `
  select part.nth, ${each((figure) => `sum(c.${figure})::int as ${figure}`)}
  from unnest($2::int[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as part(nth, level, from_time, to_time)
  join statistics_counters c on c.account_id = $1 and c.detail = any('{total,campaigns}'::text[])
    and c.level = part.level and c.from_time >= part.from_time and c.from_time < part.to_time
  group by part.nth`;

const NO_SUMS = Object.fromEntries(FIGURES.map((figure) => [figure, 0])) as FigureSums;

const DOMAIN_SUMS = `
  select c.detail, ${each((figure) => `sum(c.${figure})::int as ${figure}`)}
  from unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) as part(level, from_time, to_time)
  join statistics_counters c on c.account_id = $1 and c.detail = any('{total,campaigns}'::text[])
    and c.domain = $2 and c.level = part.level and c.from_time >= part.from_time and c.from_time < part.to_time
  group by c.detail`;

/** The least detailed rows that satisfy the filters: few, for any number of domains and tags. */
function detailOf({ tags, recipientDomains }: FiguresQuery, atLeast: 'total' | 'recipient'): string {
  const detail = recipientDomains !== null ? 'recipient' : atLeast;
  if (tags === null) return detail;
  return detail === 'recipient' ? 'recipient-tags' : 'tags';
}

const fits = (row: string): string =>
  `($4::text[] is null or ${row}.domain = any($4)) and ($5::text[] is null or ${row}.recipient_domain = any($5))
   and ($6::text[] is null or ${row}.tags && $6)`;

const FOUND = `
  with found as (
    select date_trunc($2, c.from_time, 'UTC') as bucket, c.recipient_domain, c.classification,
      ${each((figure) => `c.${figure}`)}, c.delivery_ms
    from unnest($7::text[], $8::timestamptz[], $9::timestamptz[]) as part(level, from_time, to_time)
    join statistics_counters c on c.account_id = $1 and c.detail = $3 and c.level = part.level
      and c.from_time >= part.from_time and c.from_time < part.to_time
    where ${fits('c')}
    union all
    select date_trunc($2, h.at, 'UTC'), h.recipient_domain, h.classification,
      ${each((figure) => `case h.figure when '${figure}' then h.count else 0 end`)}, h.delivery_ms
    from unnest($10::timestamptz[], $11::timestamptz[]) as part(from_time, to_time)
    join statistics_history h on h.account_id = $1 and h.at >= part.from_time and h.at < part.to_time
    where not h.campaign and ${fits('h')})`;
