import type { DataSource, EntityManager } from 'typeorm';
import { DebouncedTask, pause } from '@postmesh/concurrency';
import { failureKind, type AccountId } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import type { BatchResult, ImportRows, LineImport } from './import-rows.js';
import type { LineChunk } from './chunks.js';

/** How often `sweep` runs: it finds what a killed process left, and what another process stored. */
export const IMPORT_SWEEPS = { everyMs: 15_000, timeoutMs: 600_000 };
// A run ends after this long; the next one goes on.
const RUN_MS = 300_000;
// The database belongs to the mail: an import takes at most half of the time.
const MAX_PAUSE_MS = 2_000;

const UPLOAD_HOURS = 1;
const KEEP_DAYS = 30;

/** It cannot go on for a reason that people can read: the import fails with it. */
export class ImportProblem extends Error {}

/** What the lines of a kind of import do. */
export interface ImportWork<Counter extends string, Own extends string, Prepared> {
  /** of the events in the log: `suppression_import` */
  event: string;
  /** before the transaction: what others have to be asked */
  prepare: (accountId: AccountId) => Promise<Prepared>;
  /**
   * Some lines from `given.linesDone` on, in one transaction with how far the import is then.
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
 * Works off imports in batches. How far one has come is committed with its effect, so after a crash it goes on where it
 * was and no line counts twice.
 */
export class ImportRuns<Counter extends string, Own extends string, Prepared> {
  private readonly working = new DebouncedTask(
    (signal) => this.workOff(signal),
    (error) =>
      this.ports.logger.warn(
        { event: `${this.given.event}.put_off`, err: error },
        'imports wait for the next run',
      ),
  );

  constructor(
    private readonly ports: { dataSource: DataSource; logger: Logger },
    private readonly rows: ImportRows<Counter, Own>,
    private readonly given: ImportWork<Counter, Own, Prepared>,
  ) {}

  stop(): Promise<void> {
    return this.working.stop();
  }

  /** An import was stored: begin now. What fails is left to the periodic run. */
  wake(): void {
    this.working.trigger();
  }

  /** The periodic task of its service. */
  async sweep(): Promise<void> {
    this.wake();
    await this.working.settled();
    for (const id of await this.rows.outdated(UPLOAD_HOURS, KEEP_DAYS)) await this.rows.remove(id);
  }

  /** Turn by turn, the accounts one after another. @throws Transient when who has to be asked is away */
  private async workOff(signal: AbortSignal): Promise<void> {
    const until = performance.now() + RUN_MS;
    while (performance.now() < until && !signal.aborted) {
      const next = await this.rows.nextTurn();
      if (!next) break;
      const began = performance.now();
      const worked = await this.takeTurn(next);
      await pause(worked ? Math.min(MAX_PAUSE_MS, performance.now() - began) : MAX_PAUSE_MS, signal);
    }
  }

  /** @returns false when another process works on it */
  private async takeTurn({ id, accountId }: { id: string; accountId: AccountId }): Promise<boolean> {
    const about = { import_id: id, account_id: accountId };
    try {
      const prepared = await this.given.prepare(accountId);
      const left = await this.ports.dataSource.transaction((tx) => this.workOffBatch(tx, id, prepared));
      if (left === 0) this.ports.logger.info({ event: `${this.given.event}.done`, ...about }, 'import done');
      return left !== undefined;
    } catch (error) {
      if (failureKind(error) === 'transient') throw error;
      // it would fail for ever and keep others from their turn
      this.ports.logger.error(
        { event: `${this.given.event}.failed`, err: error, ...about },
        'import given up',
      );
      const problem = error instanceof ImportProblem ? error.message : 'internal error, see the log';
      await this.rows.fail(id, problem);
      return true;
    }
  }

  /** @returns how many lines are left; undefined when it is not ours to work on */
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
