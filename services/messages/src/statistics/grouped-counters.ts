import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { UNNAMED } from '@postmesh/database';
import type { FigureSums } from './counters.repository.js';
import { FIGURES } from './statistics-facts.rules.js';
import { HOUR_MS, planRead, startOf, type TimeRange } from './time-ranges.rules.js';

/** Groups of a response, those with most messages. */
export const MAX_GROUPS = 100;

interface GroupQuery {
  accountId: AccountId;
  range: TimeRange;
  /** null = all */
  senderDomains: readonly string[] | null;
}

export type GroupSums = FigureSums & {
  /** of a template: its id; of a provider: its name */
  subject: string;
  deliveryMs: number;
};

export interface ProviderDay {
  /** `2026-01-31`, of UTC */
  day: string;
  delivered: number;
  complained: number;
}

/**
 * Figures by template or provider (decision 127): the fold writes each level at once, so that a range is read from whole
 * months, days and hours, whatever has been rolled up. An hour counts as a whole when it begins in the range.
 */
@Injectable()
export class GroupedCounters {
  constructor(private readonly dataSource: DataSource) {}

  /** Those with most messages first, one more than `MAX_GROUPS` at most. */
  read(
    detail: 'templates' | 'providers',
    { accountId, range, senderDomains }: GroupQuery,
  ): Promise<GroupSums[]> {
    const parts = wholeParts(range);
    return this.dataSource.query(`${UNNAMED} ${GROUPS}`, [
      accountId,
      detail,
      senderDomains,
      parts.map(({ level }) => level),
      parts.map(({ from }) => from),
      parts.map(({ to }) => to),
    ]);
  }

  /** The days of one provider on which something was counted for the domain, oldest first. */
  daysOf(
    provider: string,
    { accountId, domain, from }: { accountId: AccountId; domain: string; from: Date },
  ): Promise<ProviderDay[]> {
    return this.dataSource.query(`${UNNAMED} ${DAYS}`, [accountId, provider, domain, startOf('day', from)]);
  }
}

function wholeParts({ from, to }: TimeRange) {
  const hourFrom = startOf('hour', from);
  const hourTo = new Date(startOf('hour', new Date(to.getTime() - 1)).getTime() + HOUR_MS);
  const completeUntil = { day: hourTo, month: hourTo };
  return planRead({ from: hourFrom, to: hourTo }, 'month', { completeUntil, now: new Date() }).counters;
}

const DAYS = `
  select to_char(from_time at time zone 'UTC', 'YYYY-MM-DD') as day, sum(delivered)::int as delivered,
    sum(complained)::int as complained
  from statistics_counters
  where account_id = $1 and detail = 'providers' and subject = $2 and domain = $3 and level = 'day' and from_time >= $4
  group by 1 order by 1`;

const GROUPS = `
  select c.subject, ${FIGURES.map((figure) => `sum(c.${figure})::int as ${figure}`).join(', ')},
    sum(c.delivery_ms)::float8 as "deliveryMs"
  from unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) as part(level, from_time, to_time)
  join statistics_counters c on c.account_id = $1 and c.detail = $2 and c.level = part.level
    and c.from_time >= part.from_time and c.from_time < part.to_time
  where $3::text[] is null or c.domain = any($3)
  group by c.subject
  order by greatest(sum(c.received), sum(c.delivered) + sum(c.bounced) + sum(c.failed)) desc, c.subject
  limit ${MAX_GROUPS + 1}`;
