import { backoffMs, pause } from '@postmesh/concurrency';
import { failureKind } from '@postmesh/contracts';
import { GroupCommit } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import type { DataSource, EntityManager } from 'typeorm';

// While many attempts end, those within this time are written together: their work is done, so the delay costs nothing.
const GATHER_MS = 50;
const MAX_GROUP = 500;
// More than can be in flight at once, so no result is ever rejected.
const MAX_PENDING = 20_000;
const BACKOFF = { firstMs: 200, maxMs: 5_000 };

/** Records results, many per transaction. */
export class Recorder<Made> {
  private readonly group: GroupCommit<Made, boolean>;
  private readonly ending = new AbortController();

  /** @param record writes in the transaction; returns for each, in their order, whether the lease was still ours */
  constructor(
    dataSource: DataSource,
    private readonly logger: Logger,
    record: (manager: EntityManager, made: readonly Made[]) => Promise<readonly boolean[]>,
  ) {
    this.group = new GroupCommit((made) => dataSource.transaction((manager) => record(manager, made)), {
      maxWeight: MAX_GROUP,
      flushers: 2,
      maxPending: MAX_PENDING,
      gatherMs: GATHER_MS,
    });
  }

  /**
   * Retries while the database is unavailable: the result of a remote must not be lost, or the attempt would be
   * repeated. At most as many wait as attempts are in flight.
   * @returns false when the lease was lost and nothing was written
   * @throws the database's error about the result itself, or about its unavailability when the worker ends
   */
  async record(made: Made): Promise<boolean> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.group.add(made);
      } catch (error) {
        if (failureKind(error) !== 'transient' || this.ending.signal.aborted) throw error;
        if (failures === 1)
          this.logger.warn(
            { event: 'attempt.record_failed', err: error },
            'recording results failed, will retry',
          );
        // the end of the worker ends the pause: one last try, then the row is left to others
        await pause(backoffMs(failures, BACKOFF), this.ending.signal);
      }
    }
  }

  end(): void {
    this.ending.abort();
  }
}
