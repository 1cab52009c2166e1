import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask, inBatches } from '@postmesh/concurrency';
import { PeriodicTasks } from '@postmesh/work';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { tryLockSearchIndex } from './index-lock.js';
import { SealSegments } from './seal-segments.js';
import { SegmentStatuses } from './segment-statuses.js';

const EVERY_MS = 5_000;
// The same while no status changes and nothing is to be sealed: a search reads what is pending.
const IDLE_MS = 20_000;
const FIND_ACCOUNTS_MS = 60_000;
const DROP_MS = 3_600_000;
const MAX_BATCHES = 200;
const DROPPED_AT_ONCE = 500;

/**
 * Maintains the index of messages (decision 32). No job: unsealed messages and pending changes of statuses make
 * searches slower, and a job of a killed process would wait a minute.
 */
@Injectable()
export class KeepSearchIndex implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private accountsFoundAt = Number.NEGATIVE_INFINITY;
  private droppedAt = performance.now();
  private keptAt = performance.now();
  private readonly keeping = new DebouncedTask(
    (signal) => this.keep(signal),
    (error) =>
      this.logger.warn(
        { event: 'search_index.keep_failed', err: error },
        'updating the search index failed, will retry',
      ),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly segments: SealSegments,
    private readonly statuses: SegmentStatuses,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly tasks: PeriodicTasks,
    private readonly metrics: Metrics,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.tasks.areHere) return;
    this.metrics.gauge(
      'postmesh_search_index_age_seconds',
      'Time since the index of message lists was last brought up to date',
      [],
      (gauge) => gauge.set((performance.now() - this.keptAt) / 1_000),
    );
    this.keeping.every(EVERY_MS, IDLE_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.keeping.stop();
  }

  /** @returns whether there was anything to do */
  async keep(signal: AbortSignal): Promise<boolean> {
    let changes = 0;
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      const { followed, more } = await this.statuses.followBatch();
      changes += followed;
      if (!more) break;
    }
    if (performance.now() - this.accountsFoundAt > FIND_ACCOUNTS_MS) {
      await this.segments.findAccounts();
      this.accountsFoundAt = performance.now();
    }
    if (performance.now() - this.droppedAt > DROP_MS) {
      await this.dropOld(signal);
      await this.segments.forgetAccounts();
      this.droppedAt = performance.now();
    }
    const made = await this.segments.sealDue(signal);
    this.keptAt = performance.now();
    if (made === 0) return changes > 0;
    this.logger.info({ event: 'search_index.sealed', segments: made }, 'segments sealed');
    this.keeping.trigger();
    return true;
  }

  /**
   * Drops segments with only expired messages. No search reads them, so this may take its time: the
   * key of postings begins with the token, so all of an account are read once for all of its old segments.
   */
  async dropOld(signal: AbortSignal): Promise<void> {
    await inBatches(() => this.dropBatch(), { size: DROPPED_AT_ONCE, signal });
  }

  /** @returns the number of dropped segments: fewer than found when another process holds the lock */
  private async dropBatch(): Promise<number> {
    const accounts: { id: string; segments: string[] }[] = await this.dataSource.query(OLD, [
      DROPPED_AT_ONCE,
    ]);
    let dropped = 0;
    for (const { id, segments } of accounts) {
      await this.dataSource.transaction(async (tx) => {
        // otherwise statuses of a segment that is being dropped would remain
        if (!(await tryLockSearchIndex(tx))) return;
        const those = [id, segments];
        await tx.query('delete from search_postings where account_id = $1 and segment = any($2)', those);
        await tx.query('delete from search_segments where account_id = $1 and segment = any($2)', those);
        dropped += segments.length;
      });
    }
    return dropped;
  }
}

const OLD = `
  select account_id as id, array_agg(segment) as segments from (
    select account_id, segment from search_segments where kept_until <= now() order by kept_until limit $1) as old
  group by account_id`;
