import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import { databaseNow } from '@postmesh/database';
import { PeriodicTasks } from '@postmesh/work';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { tryLockCounters } from './counters-lock.js';
import { RollUpStatistics } from './roll-up-statistics.js';
import { FIGURES } from './statistics-facts.rules.js';
import { HISTORY_DAYS } from './time-ranges.rules.js';

// Figures are this old at most, and a second or two more in a burst; the limit is 60 s (spec 1-platform §15 rule 7).
// No job: after a crash another process might take it over only after a minute.
const EVERY_MS = 5_000;
// Looks for an ended day or month this often while there are no facts.
const ROLL_UP_MS = 60_000;
// About 0.2 s, in which no other process folds.
const BATCH_SIZE = 10_000;
const MAX_BATCHES = 200;

/**
 * Adds facts to the counters, exactly once: one transaction deletes a batch of facts and adds its sums. A fact
 * of an uncommitted writer is in a later batch.
 *
 * Facts are not the deltas of `Counters` in libs/database: one becomes up to twelve rows of counters (details and
 * levels), remains as history for the edges of a range, and must not be added while its day is being rolled up. They
 * have no index, because every message writes them, so batches are in table order.
 */
@Injectable()
export class FoldStatistics implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly folded;
  private foldedAt = performance.now();
  private rolledUpAt = Number.NEGATIVE_INFINITY;
  private readonly folding = new DebouncedTask(
    (signal) => this.poll(signal),
    (error) =>
      this.logger.warn(
        { event: 'statistics.fold_failed', err: error },
        'aggregating statistics failed, will retry',
      ),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly rollUp: RollUpStatistics,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly tasks: PeriodicTasks,
    private readonly metrics: Metrics,
  ) {
    this.folded = metrics.counter(
      'postmesh_statistics_facts_folded_total',
      'Facts added to the counters of statistics',
    );
  }

  onApplicationBootstrap(): void {
    if (!this.tasks.areHere) return;
    this.metrics.gauge(
      'postmesh_statistics_fold_age_seconds',
      'Time since the counters of statistics were last brought up to date',
      [],
      (gauge) => gauge.set((performance.now() - this.foldedAt) / 1_000),
    );
    this.folding.every(EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.folding.stop();
  }

  async fold(signal: AbortSignal): Promise<void> {
    await this.foldFacts(signal);
    await this.rollUpAll(signal);
  }

  private async poll(signal: AbortSignal): Promise<void> {
    const folded = await this.foldFacts(signal);
    const isDue = performance.now() - this.rolledUpAt >= ROLL_UP_MS;
    if (folded > 0 || isDue) await this.rollUpAll(signal);
    this.foldedAt = performance.now();
  }

  /** @returns the number of facts */
  private async foldFacts(signal: AbortSignal): Promise<number> {
    let folded = 0;
    let last: Taken | undefined;
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      last = await this.foldBatch(last?.place ?? FIRST_PLACE);
      folded += last.taken;
      if (last.taken < BATCH_SIZE) break;
    }
    return folded;
  }

  private async rollUpAll(signal: AbortSignal): Promise<void> {
    await this.rollUp.rollUp(await databaseNow(this.dataSource), signal);
    this.rolledUpAt = performance.now();
  }

  private async foldBatch(after: string): Promise<Taken> {
    if (!(await this.isAnything(after))) return NOTHING;
    const taken = await this.dataSource.transaction(async (tx) =>
      (await tryLockCounters(tx)) ? takeBatch(tx, after) : NOTHING,
    );
    this.folded.inc(taken.taken);
    return taken;
  }

  private async isAnything(after: string): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      'select from statistics_facts where ctid >= $1::tid limit 1',
      [after],
    );
    return rows.length > 0;
  }
}

/** A batch of facts, and the position of the next one in the table: deleted rows remain in it for a while. */
interface Taken {
  taken: number;
  place: string | null;
}

const FIRST_PLACE = '(0,0)';
const NOTHING: Taken = { taken: 0, place: null };

async function takeBatch(tx: EntityManager, after: string): Promise<Taken> {
  const [row]: Taken[] = await tx.query(FOLD_BATCH, [BATCH_SIZE, HISTORY_DAYS, after]);
  return row ?? NOTHING;
}

const each = (write: (figure: string) => string): string => FIGURES.map(write).join(', ');

// A fact counts in its hour, and in its day and month once these are rolled up; in each of them in total, by
// recipient domain, and by tags where it has some; a fact of a campaign is separate from these. By template and by provider
// it counts in hour, day and month at once: few rows, which no roll-up touches (decision 127).
const FOLD_BATCH = `
  with taken as (
    delete from statistics_facts
    where ctid = any(array(select ctid from statistics_facts where ctid >= $3::tid limit $1))
    returning statistics_facts.*, ctid as place),
  kept as (
    insert into statistics_history
    select account_id, domain, recipient_domain, tags, at, figure, classification, count, delivery_ms, campaign
    from taken where at > now() - make_interval(days => $2)),
  sums as (
    select t.account_id, of.detail, l.level, date_trunc(l.level, t.at, 'UTC') as from_time,
      t.domain, of.recipient_domain, of.tags, of.classification, of.subject,
      ${each((figure) => `coalesce(sum(t.count) filter (where t.figure = '${figure}'), 0)::int as ${figure}`)},
      sum(t.delivery_ms)::bigint as delivery_ms
    from taken t
    cross join lateral (values
      ('total', null, null, t.classification, null, not t.campaign),
      ('recipient', t.recipient_domain, null, t.classification, null, not t.campaign),
      ('tags', null, t.tags, t.classification, null, not t.campaign and t.tags is not null),
      ('recipient-tags', t.recipient_domain, t.tags, t.classification, null, not t.campaign and t.tags is not null),
      ('campaigns', null, null, t.classification, null, t.campaign),
      ('templates', null, null, null, t.template_id::text, t.template_id is not null),
      ('providers', null, null, null, t.provider, t.provider is not null))
      as of(detail, recipient_domain, tags, classification, subject, counts)
    cross join lateral (
      select 'hour' as level
      union all
      select p.level from statistics_progress p
      where of.subject is not null or date_trunc(p.level, t.at, 'UTC') < p.complete_until
         or (date_trunc(p.level, t.at, 'UTC') = p.complete_until and t.account_id <= p.after_account)) as l
    where of.counts
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9),
  added as (
    insert into statistics_counters as c (account_id, detail, level, from_time, domain, recipient_domain, tags,
      classification, subject, ${FIGURES.join(', ')}, delivery_ms, series)
    select account_id, detail, level, from_time, domain, recipient_domain, tags, classification, subject,
      ${FIGURES.join(', ')}, delivery_ms,
      md5((jsonb_build_array(domain, recipient_domain, tags, classification)
        || case when subject is null then '[]'::jsonb else jsonb_build_array(subject) end)::text)::uuid
    from sums
    on conflict (account_id, detail, level, from_time, series) do update set
      ${each((figure) => `${figure} = c.${figure} + excluded.${figure}`)},
      delivery_ms = c.delivery_ms + excluded.delivery_ms)
  select count(*)::int as taken, max(place)::text as place from taken`;
