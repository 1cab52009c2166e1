import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import type { ImportFormat, ImportPosition, LineChunk, LineError } from './import-lines.rules.js';

/** Errors that are kept of an import; all are counted. */
export const MAX_KEPT_ERRORS = 1_000;
// Rows of one deletion: a chunk has up to 128 KiB.
const DELETE_BATCH = 200;
const MAX_LISTED = 100;

export interface SuppressionImport {
  id: string;
  accountId: AccountId;
  operator: string;
  format: ImportFormat;
  columns: string[];
  state: 'uploading' | 'waiting' | 'done' | 'failed';
  problem: string | null;
  createdAt: Date;
  workedAt: Date | null;
  finishedAt: Date | null;
  /** those with data */
  lines: number;
  linesDone: number;
  afterDomain: string;
  created: number;
  extended: number;
  unchanged: number;
  errors: number;
}

const SELECT = `select id, account_id as "accountId", operator, format, columns, state, problem, created_at as "createdAt",
  worked_at as "workedAt", finished_at as "finishedAt", lines, lines_done as "linesDone", after_domain as "afterDomain",
  created, extended, unchanged, errors from suppression_imports`;

/** What one batch did. */
export interface BatchResult {
  next: ImportPosition;
  created: number;
  extended: number;
  unchanged: number;
  errors: readonly LineError[];
}

/** Rows of imports, their chunks and errors. */
@Injectable()
export class ImportsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(id: string): Promise<SuppressionImport | undefined> {
    const rows: SuppressionImport[] = await this.dataSource.query(`${SELECT} where id = $1`, [id]);
    return rows[0];
  }

  /** Newest first. */
  list(accountId: AccountId): Promise<SuppressionImport[]> {
    return this.dataSource.query(
      `${SELECT} where account_id = $1 order by created_at desc, id desc limit ${MAX_LISTED}`,
      [accountId],
    );
  }

  /** @returns undefined when the account has `most` already that are not finished */
  async begin(given: {
    id: string;
    accountId: AccountId;
    operator: string;
    format: ImportFormat;
    most: number;
  }): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `insert into suppression_imports (id, account_id, operator, format, columns, state)
       select $1, $2, $3, $4, '{}', 'uploading' where (
         select count(*) from suppression_imports where account_id = $2 and state in ('uploading', 'waiting')) < $5
       returning id`,
      [given.id, given.accountId, given.operator, given.format, given.most],
    );
    return rows.length > 0;
  }

  async addChunk(id: string, { first, lines }: LineChunk): Promise<void> {
    await this.dataSource.query(
      'insert into suppression_import_chunks (import_id, first_line, line_count, lines) values ($1, $2, $3, $4)',
      [id, first, lines.length, lines.join('\n')],
    );
  }

  /** All is stored: from now on it is worked off. */
  async uploaded(
    id: string,
    { lines, columns }: { lines: number; columns: readonly string[] },
  ): Promise<void> {
    await this.dataSource.query(
      `update suppression_imports set state = 'waiting', lines = $2, columns = $3 where id = $1`,
      [id, lines, columns],
    );
  }

  /** With its chunks and errors. */
  async remove(id: string): Promise<void> {
    await this.dataSource.query('delete from suppression_import_errors where import_id = $1', [id]);
    await this.removeChunks(id);
    await this.dataSource.query('delete from suppression_imports where id = $1', [id]);
  }

  private async removeChunks(id: string): Promise<void> {
    for (let count = DELETE_BATCH; count === DELETE_BATCH;) {
      [, count] = (await this.dataSource.query(
        `delete from suppression_import_chunks where import_id = $1 and first_line in (
           select first_line from suppression_import_chunks where import_id = $1 order by first_line limit $2)`,
        [id, DELETE_BATCH],
      )) as [unknown, number];
    }
  }

  /**
   * Whose turn it is: of each account the oldest import, and of these the one that waits longest, so that a large
   * import of one account does not hold up another one's.
   */
  async nextTurn(): Promise<{ id: string; accountId: AccountId } | undefined> {
    const rows: { id: string; accountId: AccountId }[] = await this.dataSource.query(
      `select id, account_id as "accountId" from suppression_imports i
       where state = 'waiting' and not exists (
         select from suppression_imports o where o.account_id = i.account_id and o.state = 'waiting' and o.id < i.id)
       order by worked_at nulls first, id limit 1`,
    );
    return rows[0];
  }

  /** @returns undefined when it does not wait any more, or another process works on it */
  async claim(tx: EntityManager, id: string): Promise<SuppressionImport | undefined> {
    const rows: SuppressionImport[] = await tx.query(
      `${SELECT} where id = $1 and state = 'waiting' for update skip locked`,
      [id],
    );
    return rows[0];
  }

  /** The chunk that holds a line. */
  async chunkAt(tx: EntityManager, id: string, line: number): Promise<LineChunk | undefined> {
    const rows: { first: number; count: number; lines: string }[] = await tx.query(
      `select first_line as first, line_count as count, lines from suppression_import_chunks
       where import_id = $1 and first_line <= $2 and first_line + line_count > $2
       order by first_line desc limit 1`,
      [id, line],
    );
    return rows[0] && { first: rows[0].first, lines: rows[0].lines.split('\n') };
  }

  /** @param given claimed in this transaction */
  async advance(tx: EntityManager, given: SuppressionImport, result: BatchResult): Promise<void> {
    const { next, errors } = result;
    await tx.query(
      `update suppression_imports set lines_done = $2, after_domain = $3, created = created + $4, extended = extended + $5,
         unchanged = unchanged + $6, errors = errors + $7, worked_at = clock_timestamp(),
         state = case when $2 >= lines then 'done' else state end,
         finished_at = case when $2 >= lines then clock_timestamp() end
       where id = $1`,
      [
        given.id,
        next.line,
        next.afterDomain,
        result.created,
        result.extended,
        result.unchanged,
        errors.length,
      ],
    );
    const kept = errors.slice(0, Math.max(0, MAX_KEPT_ERRORS - given.errors));
    await insertRows(tx, 'suppression_import_errors', errorColumns(given.id), kept);
    await tx.query(
      'delete from suppression_import_chunks where import_id = $1 and first_line + line_count <= $2',
      [given.id, next.line],
    );
  }

  /** It does not go on; what it did stays. @returns whether it was one that waited */
  async fail(id: string, problem: string): Promise<boolean> {
    const [, changed]: [unknown, number] = await this.dataSource.query(
      `update suppression_imports set state = 'failed', problem = $2, finished_at = now()
       where id = $1 and state = 'waiting'`,
      [id, problem],
    );
    if (changed > 0) await this.removeChunks(id);
    return changed > 0;
  }

  errors(id: string): Promise<LineError[]> {
    return this.dataSource.query(
      'select line, text, reason from suppression_import_errors where import_id = $1 order by line',
      [id],
    );
  }

  /** Uploads that were cut off, and what was finished long ago. */
  async outdated(uploadHours: number, keepDays: number): Promise<string[]> {
    const rows: { id: string }[] = await this.dataSource.query(
      `(select id from suppression_imports
        where state = 'uploading' and created_at < now() - make_interval(hours => $1) limit ${MAX_LISTED})
       union all
       (select id from suppression_imports
        where state in ('done', 'failed') and created_at < now() - make_interval(days => $2)
          and finished_at < now() - make_interval(days => $2) limit ${MAX_LISTED})`,
      [uploadHours, keepDays],
    );
    return rows.map(({ id }) => id);
  }
}

const errorColumns = (importId: string) =>
  ({ import_id: ['uuid', () => importId], line: 'int', text: 'text', reason: 'text' }) as const;
