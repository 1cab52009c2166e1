import type { DataSource, EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { changedRows, insertRows } from '@postmesh/database';
import type { LineChunk } from './chunks.js';

export const IMPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** The most errors stored per import; all are counted. */
const MAX_KEPT_ERRORS = 1_000;
const MAX_ERROR_TEXT = 200;
// Rows of one deletion: a chunk has up to 128 KiB.
const DELETE_BATCH = 200;
const MAX_LISTED = 100;

/**
 * The tables of one kind of import: `<prefix>_imports`, `<prefix>_import_chunks`, `<prefix>_import_errors`. A kind has
 * counters, and columns of its own, set at the start and updated by each batch.
 */
export interface ImportTables<Counter extends string, Own extends string> {
  prefix: string;
  counters: readonly Counter[];
  own: readonly Own[];
}

export interface LineImport<Counter extends string = string, Own extends string = string> {
  id: string;
  accountId: AccountId;
  operator: string;
  format: ImportFormat;
  /** of a CSV file */
  columns: string[];
  state: 'uploading' | 'waiting' | 'done' | 'failed';
  problem: string | null;
  createdAt: Date;
  workedAt: Date | null;
  finishedAt: Date | null;
  /** lines with data */
  lines: number;
  linesDone: number;
  errors: number;
  counts: Record<Counter, number>;
  own: Record<Own, string | null>;
}

export interface LineError {
  /** line number as in an editor */
  line: number;
  text: string;
  reason: string;
}

/** @param line number among the lines with data, from 0 */
export const lineError = (format: ImportFormat, line: number, text: string, reason: string): LineError => ({
  // counted from 1, after the header line
  line: line + (format === 'csv' ? 2 : 1),
  text: Buffer.from(text.slice(0, MAX_ERROR_TEXT)).toString(),
  reason,
});

/** The result of one batch. */
export interface BatchResult<Counter extends string, Own extends string> {
  /** the next line */
  next: number;
  counts: Record<Counter, number>;
  errors: readonly LineError[];
  /** changed values of own columns */
  own?: Partial<Record<Own, string>>;
}

/** Rows of imports, their chunks and errors. */
export class ImportRows<Counter extends string, Own extends string> {
  private readonly imports: string;
  private readonly chunks: string;
  private readonly errorRows: string;
  private readonly select: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly tables: ImportTables<Counter, Own>,
  ) {
    this.imports = `${tables.prefix}_imports`;
    this.chunks = `${tables.prefix}_import_chunks`;
    this.errorRows = `${tables.prefix}_import_errors`;
    const objectOf = (columns: readonly string[]) =>
      `jsonb_build_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})`;
    this.select = `select id, account_id as "accountId", operator, format, columns, state, problem,
      created_at as "createdAt", worked_at as "workedAt", finished_at as "finishedAt", lines, lines_done as "linesDone",
      errors, ${objectOf(tables.counters)} as counts, ${objectOf(tables.own)} as own from ${this.imports}`;
  }

  async find(id: string): Promise<LineImport<Counter, Own> | undefined> {
    const rows: LineImport<Counter, Own>[] = await this.dataSource.query(`${this.select} where id = $1`, [
      id,
    ]);
    return rows[0];
  }

  /** Newest first. */
  list(accountId: AccountId): Promise<LineImport<Counter, Own>[]> {
    return this.dataSource.query(
      `${this.select} where account_id = $1 order by created_at desc, id desc limit ${MAX_LISTED}`,
      [accountId],
    );
  }

  /** @returns false when the account already has `most` unfinished imports */
  async begin(given: {
    id: string;
    accountId: AccountId;
    operator: string;
    format: ImportFormat;
    own?: Partial<Record<Own, string | null>>;
    most: number;
  }): Promise<boolean> {
    const own = Object.entries(given.own ?? {});
    const names = own.map(([name]) => `, ${name}`).join('');
    const values = own.map((_, at) => `, $${at + 6}`).join('');
    const rows: unknown[] = await this.dataSource.query(
      `insert into ${this.imports} (id, account_id, operator, format, columns, state${names})
       select $1, $2, $3, $4, '{}', 'uploading'${values} where (
         select count(*) from ${this.imports} where account_id = $2 and state in ('uploading', 'waiting')) < $5
       returning id`,
      [given.id, given.accountId, given.operator, given.format, given.most, ...own.map(([, value]) => value)],
    );
    return rows.length > 0;
  }

  async addChunk(id: string, { first, lines }: LineChunk): Promise<void> {
    await this.dataSource.query(
      `insert into ${this.chunks} (import_id, first_line, line_count, lines) values ($1, $2, $3, $4)`,
      [id, first, lines.length, lines.join('\n')],
    );
  }

  /** Unreadable lines, found during the upload. @param kept number of errors that are already stored */
  async addErrors(id: string, errors: readonly LineError[], kept: number): Promise<void> {
    if (errors.length === 0) return;
    await this.dataSource.transaction(async (tx) => {
      await tx.query(`update ${this.imports} set errors = errors + $2 where id = $1`, [id, errors.length]);
      await insertRows(
        tx,
        this.errorRows,
        errorColumns(id),
        errors.slice(0, Math.max(0, MAX_KEPT_ERRORS - kept)),
      );
    });
  }

  /** The upload is complete: the import becomes claimable. */
  async uploaded(
    id: string,
    { lines, columns }: { lines: number; columns: readonly string[] },
  ): Promise<void> {
    await this.dataSource.query(
      `update ${this.imports} set state = 'waiting', lines = $2, columns = $3 where id = $1`,
      [id, lines, columns],
    );
  }

  /** Deletes an import with its chunks and errors. */
  async remove(id: string): Promise<void> {
    await this.dataSource.query(`delete from ${this.errorRows} where import_id = $1`, [id]);
    await this.removeChunks(id);
    await this.dataSource.query(`delete from ${this.imports} where id = $1`, [id]);
  }

  /** Deletes imports of one account, in batches. @returns the number of deleted imports */
  async removeSome(accountId: string, limit: number): Promise<number> {
    const rows: { id: string }[] = await this.dataSource.query(
      `select id from ${this.imports} where account_id = $1 limit $2`,
      [accountId, limit],
    );
    for (const { id } of rows) await this.remove(id);
    return rows.length;
  }

  private async removeChunks(id: string): Promise<void> {
    const statement = `delete from ${this.chunks} where import_id = $1 and first_line in (
      select first_line from ${this.chunks} where import_id = $1 order by first_line limit $2)`;
    for (let count = DELETE_BATCH; count === DELETE_BATCH;) {
      count = await changedRows(this.dataSource, statement, [id, DELETE_BATCH]);
    }
  }

  /**
   * The next import: the oldest one of each account, and the longest waiting among these, so that a large import of one
   * account does not delay another account's.
   */
  async nextTurn(): Promise<{ id: string; accountId: AccountId } | undefined> {
    const rows: { id: string; accountId: AccountId }[] = await this.dataSource.query(
      `select id, account_id as "accountId" from ${this.imports} i
       where state = 'waiting' and not exists (
         select from ${this.imports} o where o.account_id = i.account_id and o.state = 'waiting' and o.id < i.id)
       order by worked_at nulls first, id limit 1`,
    );
    return rows[0];
  }

  /** @returns undefined when the import no longer waits, or another process has claimed it */
  async claim(tx: EntityManager, id: string): Promise<LineImport<Counter, Own> | undefined> {
    const rows: LineImport<Counter, Own>[] = await tx.query(
      `${this.select} where id = $1 and state = 'waiting' for update skip locked`,
      [id],
    );
    return rows[0];
  }

  /** The chunk that contains a line. */
  async chunkAt(tx: EntityManager, id: string, line: number): Promise<LineChunk | undefined> {
    const rows: { first: number; count: number; lines: string }[] = await tx.query(
      `select first_line as first, line_count as count, lines from ${this.chunks}
       where import_id = $1 and first_line <= $2 and first_line + line_count > $2
       order by first_line desc limit 1`,
      [id, line],
    );
    return rows[0] && { first: rows[0].first, lines: rows[0].lines.split('\n') };
  }

  /** @param given claimed in this transaction */
  async advance(
    tx: EntityManager,
    given: LineImport<Counter, Own>,
    { next, counts, errors, own = {} }: BatchResult<Counter, Own>,
  ): Promise<void> {
    const parameters: unknown[] = [given.id, next, errors.length];
    const counted = this.tables.counters.map(
      (name) => `, ${name} = ${name} + $${parameters.push(counts[name])}`,
    );
    const moved = Object.entries(own).map(([name, value]) => `, ${name} = $${parameters.push(value)}`);
    await tx.query(
      `update ${this.imports} set lines_done = $2, errors = errors + $3, worked_at = clock_timestamp(),
         state = case when $2 >= lines then 'done' else state end,
         finished_at = case when $2 >= lines then clock_timestamp() end${counted.join('')}${moved.join('')}
       where id = $1`,
      parameters,
    );
    const kept = errors.slice(0, Math.max(0, MAX_KEPT_ERRORS - given.errors));
    await insertRows(tx, this.errorRows, errorColumns(given.id), kept);
    await tx.query(`delete from ${this.chunks} where import_id = $1 and first_line + line_count <= $2`, [
      given.id,
      next,
    ]);
  }

  /** Ends the import as failed; its finished lines stay. @returns whether it was still waiting */
  async fail(id: string, problem: string): Promise<boolean> {
    const changed = await changedRows(
      this.dataSource,
      `update ${this.imports} set state = 'failed', problem = $2, finished_at = now()
       where id = $1 and state = 'waiting'`,
      [id, problem],
    );
    if (changed > 0) await this.removeChunks(id);
    return changed > 0;
  }

  errors(id: string): Promise<LineError[]> {
    return this.dataSource.query(
      `select line, text, reason from ${this.errorRows} where import_id = $1 order by line`,
      [id],
    );
  }

  /** Interrupted uploads, and imports that finished more than `keepDays` days ago. */
  async outdated(uploadHours: number, keepDays: number): Promise<string[]> {
    const rows: { id: string }[] = await this.dataSource.query(
      `(select id from ${this.imports}
        where state = 'uploading' and created_at < now() - make_interval(hours => $1) limit ${MAX_LISTED})
       union all
       (select id from ${this.imports}
        where state in ('done', 'failed') and created_at < now() - make_interval(days => $2)
          and finished_at < now() - make_interval(days => $2) limit ${MAX_LISTED})`,
      [uploadHours, keepDays],
    );
    return rows.map(({ id }) => id);
  }
}

const errorColumns = (importId: string) =>
  ({ import_id: ['uuid', () => importId], line: 'int', text: 'text', reason: 'text' }) as const;

/** The representation for operators. */
export const importView = (given: LineImport, errors?: readonly LineError[]): object => ({
  id: given.id,
  account_id: given.accountId,
  operator: given.operator,
  format: given.format,
  state: given.state,
  problem: given.problem,
  created_at: given.createdAt,
  worked_at: given.workedAt,
  finished_at: given.finishedAt,
  lines: given.lines,
  lines_done: given.linesDone,
  ...given.counts,
  errors: given.errors,
  ...(errors ? { first_errors: errors } : {}),
});
