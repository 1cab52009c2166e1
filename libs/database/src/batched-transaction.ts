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
 * A transaction that sends its statements to the server in batches, for the transactions on the way of every message
 * (ADR 90). Statements that `work` begins in one turn of the event loop are one write and one answer; BEGIN is sent
 * with the first statements, and the statements of `atCommit` are sent with COMMIT.
 *
 * ```ts
 * await batchedTransaction(dataSource, async (tx) => {
 *   const known = await tx.query(FIND, [ids]);                              // with BEGIN
 *   await Promise.all([insertRows(tx, 'a', A, rows), insertRows(tx, 'b', B, rows)]); // together, in this order
 *   await insertRows(atCommit(tx), 'c', C, rows);                           // with COMMIT
 * });
 * ```
 *
 * Otherwise it is a transaction of TypeORM: `tx` is an EntityManager, subscribers are called, savepoints work. When a
 * statement fails, the statements behind it in its batch do not run and get its error. COMMIT waits for the answer of
 * every statement of `work`, and a statement after the end has begun is refused: both throw.
 *
 * @throws the error of `work`; QueryFailedError; Error where the server rolled back instead of committing
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
 * For statements without a result, which no other statement of the transaction depends on. In a batched transaction
 * they are sent with its commit, in their order, behind all others; the commit fails when one of them fails. In any
 * other transaction, and inside a savepoint, they run at once.
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
  /** BEGIN is due with the next batch */
  private mustBegin = false;
  private isEnding = false;
  /** a batch is with the server */
  private isBusy = false;
  /** the rollback failed, so the connection must not be used again */
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

// The statements behind it fail when this one does.
const BEGIN: BatchedStatement = { text: 'BEGIN', values: [], resolve: nothing, reject: nothing };

/** As TypeORM gives it. */
function resultOf({ command, rows, rowCount }: pg.QueryResult, isStructured: boolean): unknown {
  const raw = command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
  if (!isStructured) return raw;
  return Object.assign(new QueryResult(), { raw, records: rows, affected: rowCount });
}
