import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BounceFigures, BounceFiguresRequest } from '@postmesh/messages-contract';
import { UNNAMED } from '@postmesh/database';
import { DAY_MS } from './time-ranges.rules.js';

const DAYS = 30;
const MAX_CANDIDATES = 1_000;

export type BounceFigure = BounceFigures['figures'][number];

/** A domain, and the time from which its figures count. */
interface DomainSince {
  account_id: string;
  domain: string;
  since: Date;
}

/**
 * Counts delivered and bounced messages of sending domains, including campaigns: the domains service pauses by them.
 */
@Injectable()
export class BounceCounts {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Domains with at least this many bounces in the trailing 30 days, most first, at most 1,000 of them.
   * @param offset number of domains to skip
   */
  async most({ min_bounced, offset }: { min_bounced: number; offset: number }): Promise<BounceFigure[]> {
    const from = new Date(Date.now() - DAYS * DAY_MS);
    const rows: Omit<DomainSince, 'since'>[] = await this.dataSource.query(CANDIDATES, [
      from,
      min_bounced,
      offset,
    ]);
    const figures = await this.sumUp(rows.map((row) => ({ ...row, since: from })));
    return figures.filter(({ bounced }) => bounced >= min_bounced);
  }

  /** The figures of these domains, each since its time, for 30 days at most. */
  since(domains: NonNullable<BounceFiguresRequest['domains']>): Promise<BounceFigure[]> {
    const from = new Date(Date.now() - DAYS * DAY_MS);
    return this.sumUp(domains.map((one) => ({ ...one, since: later(new Date(one.since), from) })));
  }

  private async sumUp(wanted: readonly DomainSince[]): Promise<BounceFigure[]> {
    if (wanted.length === 0) return [];
    const rows: { delivered: number; bounced: number }[] = await this.dataSource.query(FIGURES_SINCE, [
      wanted.map(({ account_id }) => account_id),
      wanted.map(({ domain }) => domain),
      wanted.map(({ since }) => since),
      [...new Set(wanted.map(({ account_id }) => account_id))],
    ]);
    return wanted.map(({ account_id, domain, since }, nth) => ({
      account_id,
      domain,
      delivered: rows[nth]?.delivered ?? 0,
      bounced: rows[nth]?.bounced ?? 0,
      from: since.toISOString(),
    }));
  }
}

const later = (a: Date, b: Date): Date => (a > b ? a : b);

// Days where they are complete, hours after that.
const CANDIDATES = `${UNNAMED}
  with days as (select complete_until as until from statistics_progress where level = 'day')
  select c.account_id, c.domain
  from days join statistics_counters c on c.detail = any('{total,campaigns}'::text[])
    and c.classification is not null
    and ((c.level = 'day' and c.from_time >= date_trunc('day', $1::timestamptz, 'UTC') and c.from_time < days.until)
      or (c.level = 'hour' and c.from_time >= days.until))
  group by c.account_id, c.domain having sum(c.bounced) >= $2
  order by sum(c.bounced) desc, c.account_id, c.domain limit ${MAX_CANDIDATES} offset $3`;

// The rows of the accounts are read once and sorted by domain, for any number of domains: from the next full hour in
// counters, before it in single facts.
const FIGURES_SINCE = `${UNNAMED}
  with given as materialized (
    select nth, account_id, domain, since,
      date_trunc('hour', since + interval '1 hour' - interval '1 millisecond', 'UTC') as hour_from,
      date_trunc('day', since + interval '1 day' - interval '1 millisecond', 'UTC') as day_from
    from unnest($1::uuid[], $2::text[], $3::timestamptz[]) with ordinality as given(account_id, domain, since, nth)),
  days as (select complete_until as until from statistics_progress where level = 'day'),
  rows as materialized (
    select c.account_id, c.domain, c.level, c.from_time, c.delivered, c.bounced
    from days d cross join statistics_counters c
    where c.account_id = any($4::uuid[]) and c.detail = any('{total,campaigns}'::text[]) and c.level = any('{hour,day}')
      and c.from_time >= (select min(hour_from) from given)
      and (c.level = 'day' or c.from_time >= d.until or c.from_time < (select max(day_from) from given))),
  sums as (
    select g.nth, r.delivered, r.bounced
    from given g cross join days d
    join rows r on r.account_id = g.account_id and r.domain = g.domain
    where case r.level
      when 'day' then r.from_time >= g.day_from and r.from_time < d.until
      else r.from_time >= g.hour_from and (r.from_time < g.day_from or r.from_time >= d.until) end
    union all
    select g.nth, case h.figure when 'delivered' then h.count else 0 end,
      case h.figure when 'bounced' then h.count else 0 end
    from given g
    join statistics_history h on h.account_id = g.account_id and h.domain = g.domain
      and h.at >= g.since and h.at < g.hour_from)
  select coalesce(sum(s.delivered), 0)::int as delivered, coalesce(sum(s.bounced), 0)::int as bounced
  from given g left join sums s on s.nth = g.nth
  group by g.nth order by g.nth`;
