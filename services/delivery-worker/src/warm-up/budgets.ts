import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DebouncedTask } from '@postmesh/concurrency';
import { DatabaseClock } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { LRUCache } from 'lru-cache';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { budgetSpent } from './budget-reasons.rules.js';
import { BudgetRows, type BudgetKey, type BudgetResults, type BudgetRow, type Grant } from './budget-rows.js';
import {
  budgetKey,
  budgetOf,
  bulkPart,
  dayPassed,
  hourPassed,
  nextStage,
  reopensAt,
  type StageBudget,
} from './warm-up.rules.js';
import { scheduleOf } from './warm-up.table.js';

const MAX_KEYS = 10_000;
const MAX_TOGETHER = 1_000;
// Another worker may move the stage meanwhile, once a day.
const MAX_TRIES = 3;
const WRITE_MS = 5_000;

/** A place in the budget; `grant` is missing where there is no budget any more. */
export type Place =
  | { readonly kind: 'place'; readonly key: BudgetKey; readonly grant?: Pick<Grant, 'day' | 'hour'> }
  /** the budget is used up */
  | { readonly kind: 'full'; readonly until: number; readonly reason: string };

interface Asking {
  readonly isBulk: boolean;
  resolve(place: Place): void;
  reject(error: unknown): void;
}

/** One source and provider in this worker. */
interface Line {
  readonly key: BudgetKey;
  asking: Asking[];
  isAsking: boolean;
  row: BudgetRow | undefined;
  /** bulk messages that were put off in this hour */
  putOff: { hour: number; count: number };
}

/** Limits of new source addresses with each mailbox provider, of all workers together. */
@Injectable()
export class Budgets implements OnModuleDestroy {
  private readonly lines = new LRUCache<string, Line>({ max: MAX_KEYS });
  private readonly results = new Map<string, { key: BudgetKey; counts: BudgetResults }>();
  private readonly writing: DebouncedTask;

  constructor(
    private readonly rows: BudgetRows,
    private readonly clock: DatabaseClock,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.writing = new DebouncedTask(
      () => this.write(),
      (error) =>
        logger.warn({ event: 'warm_up.not_counted', err: error }, 'counting results of a new address failed'),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.written();
    await this.writing.stop();
  }

  /** Writes the results that were counted. */
  written(): Promise<void> {
    this.writing.trigger();
    return this.writing.settled();
  }

  /** Takes a place for one message; those that ask at the same time share a statement. */
  take(source: string, groupKey: string, isBulk: boolean): Promise<Place> {
    const line = this.lineOf({ source, provider: budgetKey(groupKey) });
    return new Promise((resolve, reject) => {
      line.asking.push({ isBulk, resolve, reject });
      if (!line.isAsking) void this.answer(line);
    });
  }

  /** No server was asked. */
  async giveBack({ key, grant }: Place & { kind: 'place' }): Promise<void> {
    if (grant !== undefined) await this.rows.giveBack(key, grant);
  }

  /**
   * A server was asked.
   * @param isSuspended shaping sends nothing to the provider from the source now
   */
  met(key: BudgetKey, kind: SmtpOutcome['kind'], isSuspended: boolean): void {
    const name = nameOf(key);
    const { counts } = this.results.get(name) ?? {
      counts: { delivered: 0, deferred: 0, refused: 0, signals: 0 },
    };
    if (kind === 'accepted') counts.delivered++;
    if (kind === 'deferred' || kind === 'connection-lost') counts.deferred++;
    if (kind === 'rejected') counts.refused++;
    if (isSuspended) counts.signals++;
    this.results.set(name, { key, counts });
    this.writing.triggerIn(WRITE_MS);
  }

  private async answer(line: Line): Promise<void> {
    line.isAsking = true;
    while (line.asking.length > 0) {
      // attempts of one claim come together
      await undefined;
      const asking = line.asking.splice(0, MAX_TOGETHER);
      try {
        await this.serve(line, asking);
      } catch (error) {
        for (const one of asking) one.reject(error);
      }
    }
    line.isAsking = false;
  }

  private async serve(line: Line, asking: readonly Asking[]): Promise<void> {
    const [single, bulk] = [asking.filter((one) => !one.isBulk), asking.filter((one) => one.isBulk)];
    for (let nth = 0; nth < MAX_TRIES; nth++) {
      const row = await this.rowOf(line);
      const now = this.clock.now();
      // the source was removed, or is warm
      const budget = row && budgetOf(scheduleOf(line.key.provider), row.stage);
      if (row === undefined || budget === undefined) {
        for (const one of asking) one.resolve({ kind: 'place', key: line.key });
        return;
      }
      const forBulk = {
        day: bulkPart(budget.day, dayPassed(now)),
        hour: bulkPart(budget.hour, hourPassed(now)),
      };
      const counts = { singles: single.length, bulk: bulk.length, stage: row.stage };
      const grant = await this.rows.take(line.key, { ...counts, budget, forBulk });
      if (grant === undefined) {
        line.row = undefined;
        continue;
      }
      const place: Place = { kind: 'place', key: line.key, grant };
      const full = (isBulk: boolean) => this.full(line, { budget, stage: row.stage, grant, isBulk, forBulk });
      for (const [at, one] of single.entries()) one.resolve(at < grant.singles ? place : full(false));
      for (const [at, one] of bulk.entries()) one.resolve(at < grant.bulk ? place : full(true));
      return;
    }
    throw new Error('the stage of a budget changed again and again');
  }

  private full(
    line: Line,
    given: { budget: StageBudget; forBulk: StageBudget; stage: number; grant: Grant; isBulk: boolean },
  ): Place {
    const { budget, forBulk, grant, stage, isBulk } = given;
    const now = this.clock.now();
    const hour = now - (now % 3_600_000);
    if (line.putOff.hour !== hour) line.putOff = { hour, count: 0 };
    const before = isBulk ? line.putOff.count++ : 0;
    const isDayOver = grant.dayUsed >= (isBulk ? forBulk : budget).day;
    // what is kept for single messages opens to bulk hour by hour
    const waitsADay = isDayOver && (!isBulk || grant.dayUsed >= budget.day);
    const until = reopensAt(budget, { isDayOver: waitsADay, isBulk, before }, now);
    return { kind: 'full', until, reason: budgetSpent(line.key, budget, stage) };
  }

  /** The row of today; the first worker of a day moves the stage. */
  private async rowOf(line: Line): Promise<BudgetRow | undefined> {
    const today = new Date(this.clock.now()).toISOString().slice(0, 10);
    if (line.row?.today === today) return line.row;
    let row = await this.rows.read(line.key);
    if (row !== undefined && row.stageDay < row.today) {
      await this.rows.moveTo(row, nextStage(row, scheduleOf(line.key.provider)));
      row = await this.rows.read(line.key);
    }
    line.row = row;
    return row;
  }

  private lineOf(key: BudgetKey): Line {
    const name = nameOf(key);
    const known = this.lines.get(name);
    if (known !== undefined) return known;
    const line = { key, asking: [], isAsking: false, row: undefined, putOff: { hour: 0, count: 0 } };
    this.lines.set(name, line);
    return line;
  }

  private async write(): Promise<void> {
    const written = [...this.results.values()];
    this.results.clear();
    for (const { key, counts } of written) await this.rows.count(key, counts);
  }
}

const nameOf = ({ source, provider }: BudgetKey): string => `${source} ${provider}`;
