import { backoffMs, pause } from '@postmesh/concurrency';
import { failureKind } from '@postmesh/contracts';
import { batchedTransaction, GroupCommit } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import type { DataSource, EntityManager } from 'typeorm';

// While many attempts end, those of this time are written together: the work is done, so nobody waits for it.
const GATHER_MS = 50;
const MAX_GROUP = 500;
// More than can be in flight at once: nobody is ever refused.
const MAX_PENDING = 20_000;
const BACKOFF = { firstMs: 200, maxMs: 5_000 };

/** Writes results down, many per transaction. */
export class Recorder<Made> {
  private readonly group: GroupCommit<Made, boolean>;
  private readonly ending = new AbortController();

  /** @param record writes in the transaction; says for each, in their order, whether the lease was still ours */
  constructor(
    dataSource: DataSource,
    private readonly logger: Logger,
    record: (manager: EntityManager, made: readonly Made[]) => Promise<readonly boolean[]>,
  ) {
    this.group = new GroupCommit(
      (made) => batchedTransaction(dataSource, (manager) => record(manager, made)),
      {
        maxWeight: MAX_GROUP,
        flushers: 2,
        maxPending: MAX_PENDING,
        gatherMs: GATHER_MS,
      },
    );
  }

  /**
   * Keeps at it while the database is away: what a remote has answered must not be forgotten, or it would be asked
   * again. As many wait as attempts are in flight, no more.
   * @returns false when the lease was lost and nothing was written
   * @throws what the database says of the result itself, or its absence when the worker ends
   */
  async record(made: Made): Promise<boolean> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.group.add(made);
      } catch (error) {
        if (failureKind(error) !== 'transient' || this.ending.signal.aborted) throw error;
        if (failures === 1)
          this.logger.warn({ event: 'attempt.record_failed', err: error }, 'recording again soon');
        // the end of the worker ends the pause: one last try, then it is left to others
        await pause(backoffMs(failures, BACKOFF), this.ending.signal);
      }
    }
  }

  end(): void {
    this.ending.abort();
  }
}
