import type { DataSource, EntityManager } from 'typeorm';
import { DebouncedTask, pause } from '@postmesh/concurrency';
import { failureKind, type AccountId } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import type { BatchResult, ImportRows, LineImport } from './import-rows.js';
import type { LineChunk } from './chunks.js';

/** Interval of `sweep`, which finds imports of killed and of other processes. */
export const IMPORT_SWEEPS = { everyMs: 60_000, timeoutMs: 600_000 };
const RETRY_MS = 15_000;
// A run ends after this time; the next run continues.
const RUN_MS = 300_000;
// Sending mail has priority in the database: an import pauses after each batch, for a third of the time that it took.
const PAUSE_SHARE = 1 / 3;
const MAX_PAUSE_MS = 2_000;

const UPLOAD_HOURS = 1;
const KEEP_DAYS = 30;

/** A permanent problem with a readable reason: the import fails with it. */
export class ImportProblem extends Error {}

/** The effect of one kind of import. */
export interface ImportWork<Counter extends string, Own extends string, Prepared> {
  /** prefix of the log events, such as `suppression_import` */
  event: string;
  /** runs before the transaction: calls to other services */
  prepare: (accountId: AccountId) => Promise<Prepared>;
  /**
   * Processes some lines from `given.linesDone` on, in one transaction with the progress of the import.
   * @throws ImportProblem
   */
  work: (
    tx: EntityManager,
    given: LineImport<Counter, Own>,
    chunk: LineChunk,
    prepared: Prepared,
  ) => Promise<BatchResult<Counter, Own>>;
}

/**
 * Processes imports in batches. The progress is committed together with the effect, so that after a crash the import
 * continues at the same line and no line counts twice.
 */
export class ImportRuns<Counter extends string, Own extends string, Prepared> {
  private readonly working: DebouncedTask = new DebouncedTask(
    (signal) => this.workOff(signal),
    (error) => {
      this.working.triggerIn(RETRY_MS);
      this.ports.logger.warn(
        { event: `${this.given.event}.put_off`, err: error },
        'processing imports failed, will retry',
      );
    },
  );

  constructor(
    private readonly ports: { dataSource: DataSource; logger: Logger },
    private readonly rows: ImportRows<Counter, Own>,
    private readonly given: ImportWork<Counter, Own, Prepared>,
  ) {}

  stop(): Promise<void> {
    return this.working.stop();
  }

  /** Starts a run for a stored import, and for what a killed process left. It is repeated after a failure. */
  wake(): void {
    this.working.trigger();
  }

  /** The periodic task of the service. */
  async sweep(): Promise<void> {
    this.wake();
    await this.working.settled();
    for (const id of await this.rows.outdated(UPLOAD_HOURS, KEEP_DAYS)) await this.rows.remove(id);
  }

  /** Processes imports, the accounts in round-robin order. @throws Transient when a required service is unavailable */
  private async workOff(signal: AbortSignal): Promise<void> {
    const until = performance.now() + RUN_MS;
    while (!signal.aborted) {
      if (performance.now() >= until) return this.working.trigger();
      const next = await this.rows.nextTurn();
      if (!next) break;
      const began = performance.now();
      const worked = await this.takeTurn(next);
      const tookMs = performance.now() - began;
      await pause(worked ? Math.min(MAX_PAUSE_MS, tookMs * PAUSE_SHARE) : MAX_PAUSE_MS, signal);
    }
  }

  /** @returns false when another process has claimed the import */
  private async takeTurn({ id, accountId }: { id: string; accountId: AccountId }): Promise<boolean> {
    const about = { import_id: id, account_id: accountId };
    try {
      const prepared = await this.given.prepare(accountId);
      const left = await this.ports.dataSource.transaction((tx) => this.workOffBatch(tx, id, prepared));
      if (left === 0) this.ports.logger.info({ event: `${this.given.event}.done`, ...about }, 'import done');
      return left !== undefined;
    } catch (error) {
      if (failureKind(error) === 'transient') throw error;
      // retries would fail for ever and block other imports
      this.ports.logger.error(
        { event: `${this.given.event}.failed`, err: error, ...about },
        'import failed, will not be retried',
      );
      const problem = error instanceof ImportProblem ? error.message : 'internal error, see the log';
      await this.rows.fail(id, problem);
      return true;
    }
  }

  /** @returns the number of lines left; undefined when the import is not claimable */
  private async workOffBatch(tx: EntityManager, id: string, prepared: Prepared): Promise<number | undefined> {
    const given = await this.rows.claim(tx, id);
    if (!given) return undefined;
    const chunk = await this.rows.chunkAt(tx, id, given.linesDone);
    if (!chunk) throw new Error('lines of an import are missing');
    const result = await this.given.work(tx, given, chunk, prepared);
    await this.rows.advance(tx, given, result);
    return given.lines - result.next;
  }
}
