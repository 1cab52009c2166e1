import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { StageBudget, StageResults } from './warm-up.rules.js';

export interface BudgetKey {
  readonly source: string;
  /** mailbox provider, or MX group */
  readonly provider: string;
}

export interface BudgetRow extends StageResults, BudgetKey {
  /** first day of the stage */
  readonly stageDay: string;
  /** today by the database's clock */
  readonly today: string;
  readonly dayUsedToday: number;
  readonly hourUsedNow: number;
}

/** How much of a budget was given to the messages that asked together. */
export interface Grant {
  readonly singles: number;
  readonly bulk: number;
  readonly dayUsed: number;
  /** the day and the hour of the grant, to give it back */
  readonly day: string;
  readonly hour: string;
}

/** Counts of results since they were last written. */
export interface BudgetResults {
  delivered: number;
  deferred: number;
  refused: number;
  signals: number;
}

/** Rows of budgets. A row is locked by the statement that takes from it, so that no two workers take the same part. */
@Injectable()
export class BudgetRows {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns the row of a source and provider, which is made when there is none */
  async read({ source, provider }: BudgetKey): Promise<BudgetRow | undefined> {
    await this.dataSource.query(MAKE, [source, provider]);
    const [row]: BudgetRow[] = await this.dataSource.query(`${ROWS} where source = $1 and provider = $2`, [
      source,
      provider,
    ]);
    return row;
  }

  /** @returns false when another worker has done it */
  async moveTo({ source, provider, stageDay }: BudgetRow, stage: number): Promise<void> {
    await this.dataSource.query(MOVE, [source, provider, stageDay, stage]);
  }

  /** @returns undefined when the stage is not the one of the budget any more */
  async take(
    { source, provider }: BudgetKey,
    wanted: { singles: number; bulk: number; stage: number; budget: StageBudget; forBulk: StageBudget },
  ): Promise<Grant | undefined> {
    const { singles, bulk, stage, budget, forBulk } = wanted;
    const parameters = [source, provider, stage, singles, bulk];
    const [grant]: Grant[] = await this.dataSource.query(TAKE, [
      ...parameters,
      ...[budget.day, budget.hour, forBulk.day, forBulk.hour],
    ]);
    return grant;
  }

  async giveBack({ source, provider }: BudgetKey, { day, hour }: Pick<Grant, 'day' | 'hour'>): Promise<void> {
    await this.dataSource.query(GIVE_BACK, [source, provider, day, hour]);
  }

  async count({ source, provider }: BudgetKey, results: BudgetResults): Promise<void> {
    const { delivered, deferred, refused, signals } = results;
    await this.dataSource.query(COUNT, [source, provider, delivered, deferred, refused, signals]);
  }

  /** Complaints name no address: each source in warm-up that sends to the provider counts them. */
  async complained(tx: EntityManager, domains: readonly string[]): Promise<void> {
    await tx.query(COMPLAINED, [domains]);
  }

  /** The rows of all sources. */
  ofProvider(provider: string): Promise<BudgetRow[]> {
    return this.dataSource.query(`${ROWS} where provider = $1 order by source limit 1000`, [provider]);
  }

  list(): Promise<BudgetRow[]> {
    return this.dataSource.query(`${ROWS} order by source, provider limit 1000`);
  }
}

const TODAY = `(now() at time zone 'utc')::date`;
const HOUR = `date_trunc('hour', now())`;

const MAKE = `insert into egress_budgets (source, provider, stage_day, day, hour)
  select $1, $2, ${TODAY}, ${TODAY}, ${HOUR} where exists (select from egress_sources where id = $1)
  on conflict do nothing`;

const ROWS = `select source, provider, stage, stage_day::text as "stageDay", ${TODAY}::text as today,
    day_used as "dayUsed", case when day = ${TODAY} then day_used else 0 end as "dayUsedToday",
    case when hour = ${HOUR} then hour_used else 0 end as "hourUsedNow",
    delivered, deferred, refused, complaints, signals
  from egress_budgets`;

const MOVE = `update egress_budgets set stage = $4, stage_day = ${TODAY}, delivered = 0, deferred = 0, refused = 0,
    complaints = 0, signals = 0
  where source = $1 and provider = $2 and stage_day = $3::date and stage_day < ${TODAY}`;

// The row is read under its lock. Singles are served first; $8 and $9 are what bulk may use.
const TAKE = `
  with held as materialized (
    select stage, case when day = ${TODAY} then day_used else 0 end as day_used,
      case when hour = ${HOUR} then hour_used else 0 end as hour_used
    from egress_budgets where source = $1 and provider = $2 for update),
  single as materialized (
    select *, greatest(0, least($4::int, $6::int - day_used, $7::int - hour_used)) as singles from held
    where stage = $3),
  given as materialized (
    select *, greatest(0, least($5::int, $8::int - day_used - singles, $9::int - hour_used - singles)) as bulk
    from single),
  taken as (
    update egress_budgets b set day = ${TODAY}, day_used = given.day_used + given.singles + given.bulk,
    hour = ${HOUR}, hour_used = given.hour_used + given.singles + given.bulk
    from given where b.source = $1 and b.provider = $2
    returning given.singles, given.bulk, b.day_used as "dayUsed", b.day::text as day, b.hour::text as hour)
  select * from taken`;

const GIVE_BACK = `update egress_budgets set
    day_used = case when day = $3::date then greatest(0, day_used - 1) else day_used end,
    hour_used = case when hour = $4::timestamptz then greatest(0, hour_used - 1) else hour_used end
  where source = $1 and provider = $2`;

const COUNT = `update egress_budgets set delivered = delivered + $3, deferred = deferred + $4, refused = refused + $5,
    signals = signals + $6
  where source = $1 and provider = $2`;

const COMPLAINED = `
  with groups as (
    select case when m.group_key like 'p:%' then 'p:' || split_part(m.group_key, ':', 2) else m.group_key end as provider,
      count(*)::int as complaints
    from unnest($1::text[]) as given(domain) join mx_domains m on m.domain = given.domain group by 1)
  update egress_budgets b set complaints = b.complaints + groups.complaints
  from groups where b.provider = groups.provider and b.day > ${TODAY} - 14`;
