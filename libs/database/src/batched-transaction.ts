import type pg from 'pg';
import {
  QueryFailedError,
  QueryResult,
  QueryRunnerAlreadyReleasedError,
  type DataSource,
  type EntityManager,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { PreparingClient } from './prepared-statements.js';
import { encoded, type BatchedStatement } from './statement-batch.js';

/**
 * A transaction whose statements go to the server together where they can, for the transactions that every message goes
 * through (ADR 90): what `work` begins in one turn of the event loop is one write and one answer, the beginning goes with
 * the first statements, and what `atCommit` is given goes with the commit.
 *
 * ```ts
 * await batchedTransaction(dataSource, async (tx) => {
 *   const known = await tx.query(FIND, [ids]);                              // with BEGIN
 *   await Promise.all([insertRows(tx, 'a', A, rows), insertRows(tx, 'b', B, rows)]); // together, in this order
 *   await insertRows(atCommit(tx), 'c', C, rows);                           // with COMMIT
 * });
 * ```
 *
 * Otherwise it is a transaction of TypeORM: `tx` is an EntityManager, subscribers are told, savepoints work. Behind a
 * statement that fails the others of its batch are not run, and get its error. Nothing is committed while a statement of
 * `work` has no answer, and no statement is taken once the end has begun: both throw.
 *
 * @throws what `work` throws; QueryFailedError; Error where the server rolled back instead of committing
 */
export async function batchedTransaction<T>(
  dataSource: DataSource,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = new BatchingRunner(dataSource.driver as PostgresDriver, 'master');
  runner.manager = dataSource.createEntityManager(runner);
  try {
    return await runner.manager.transaction(work);
  } finally {
    await runner.release();
  }
}

/**
 * For statements whose results nobody needs, and that nothing else of the transaction reads. In a batched transaction they
 * go with its commit, in their order, behind all others; the commit fails when one of them does. In any other
 * transaction, and inside a savepoint, they run at once.
 */
export const atCommit = (tx: EntityManager) => ({
  async query(text: string, values: unknown[]): Promise<void> {
    if (tx.queryRunner instanceof BatchingRunner) await tx.queryRunner.queryAtCommit(text, values);
    else await tx.query(text, values);
  },
});

class BatchingRunner extends PostgresQueryRunner {
  private client: PreparingClient | undefined;
  /** in their order */
  private waiting: BatchedStatement[] = [];
  private last: { text: string; values: unknown[] }[] = [];
  /** BEGIN was asked for and not sent */
  private mustBegin = false;
  private isEnding = false;
  /** a batch is with the server */
  private isBusy = false;
  /** it could not be rolled back, so nobody else is to get its connection */
  private broken: Error | undefined;

  override async startTransaction(
    ...given: Parameters<PostgresQueryRunner['startTransaction']>
  ): Promise<void> {
    this.client ??= (await this.connect()) as PreparingClient;
    await super.startTransaction(...given);
  }

  // whatever rows there are: the callers say which
  override async query(text: string, values?: unknown[], isStructured = false): Promise<never> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    if (text === 'START TRANSACTION') this.mustBegin = true;
    else if (text === 'COMMIT') await this.commit();
    else if (text === 'ROLLBACK') await this.rollBack();
    else if (text.startsWith('ROLLBACK TO SAVEPOINT')) await this.undo(text);
    else return resultOf(await this.send(text, values ?? []), isStructured) as never;
    return undefined as never;
  }

  override release(): Promise<void> {
    const { releaseCallback, broken } = this;
    if (releaseCallback && broken) this.releaseCallback = () => releaseCallback(broken);
    return super.release();
  }

  async queryAtCommit(text: string, values: unknown[]): Promise<void> {
    if (this.isEnding) throw new Error(AFTER_THE_END);
    // what a savepoint takes back must not come behind it
    if (this.transactionDepth > 1) await this.query(text, values);
    else this.last.push({ text, values: encoded(values) });
  }

  private send(text: string, values: unknown[]): Promise<pg.QueryResult> {
    if (this.isEnding) throw new Error(AFTER_THE_END);
    const sent = this.enqueue(text, encoded(values));
    process.nextTick(() => this.flush());
    return sent;
  }

  private async commit(): Promise<void> {
    if (this.isBusy || this.waiting.length > 0)
      throw new Error('a transaction is to end while statements of it run');
    this.isEnding = true;
    if (this.mustBegin && this.last.length === 0) return;
    const last = this.last.map(({ text, values }) => this.enqueue(text, values));
    const committed = this.enqueue('COMMIT', []);
    this.flush();
    const [{ command }] = await Promise.all([committed, ...last]);
    // in an aborted transaction it is not an error
    if (command !== 'COMMIT') throw new Error('the transaction was aborted by a statement that failed');
  }

  private async rollBack(): Promise<void> {
    this.isEnding = true;
    if (this.mustBegin) this.refuseWaiting();
    else await this.undo('ROLLBACK').catch((error: Error) => (this.broken = error));
  }

  /** First of its batch: behind a statement that fails it would not be run. */
  private async undo(text: string): Promise<void> {
    this.refuseWaiting();
    const done = this.enqueue(text, []);
    this.flush();
    await done;
  }

  private refuseWaiting(): void {
    const error = new Error('the transaction was rolled back');
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }

  private enqueue(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const { logger } = this.dataSource;
    logger.logQuery(text, values, this);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        logger.logQueryError(error as Error, text, values, this);
        reject(new QueryFailedError(text, values, error as Error));
      };
      this.waiting.push({ text, values, resolve, reject: fail });
    });
  }

  private flush(): void {
    if (this.isBusy || this.waiting.length === 0) return;
    const batch = this.waiting.splice(0);
    if (this.mustBegin) batch.unshift(BEGIN);
    this.mustBegin = false;
    this.isBusy = true;
    this.client?.queryTogether(batch, () => {
      this.isBusy = false;
      this.flush();
    });
  }
}

const AFTER_THE_END = 'a statement came after the end of its transaction';

const nothing = (): void => undefined;

// Whether it fails is told by the statements behind it.
const BEGIN: BatchedStatement = { text: 'BEGIN', values: [], resolve: nothing, reject: nothing };

/** As TypeORM gives it. */
function resultOf({ command, rows, rowCount }: pg.QueryResult, isStructured: boolean): unknown {
  const raw = command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
  if (!isStructured) return raw;
  return Object.assign(new QueryResult(), { raw, records: rows, affected: rowCount });
}
