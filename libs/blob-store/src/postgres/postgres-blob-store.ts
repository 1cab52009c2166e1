import { Readable } from 'node:stream';
import { openDatabase } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import type { DataSource, EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import {
  BlobMissing,
  checkIds,
  isOfSpan,
  placeOf,
  type BlobStore,
  type Content,
  type Span,
} from '../blob-store.port.js';
import { batchesOf } from './batches.rules.js';
import { JoinedTransactions } from './joined-transactions.js';

export interface PostgresBlobStoreOptions {
  url: string;
  logger: Logger;
  /** connections of this process for content; 4 when left out */
  poolSize?: number;
}

// Larger content is fetched in slices, so that its hexadecimal text is never in memory as a whole.
const INLINE_BYTES = 256 * 1024;
const READ_BATCH = 100;
const LIST_BATCH = 1_000;

// One binary parameter that Postgres cuts up: an array of bytea would be sent as escaped hexadecimal text (measured
// with 400 contents of 10 KB: 7,800/s instead of 3,200/s at half the CPU of this process). No conflict target, since
// naming one needs the right to read.
const INSERT = `
  insert into blobs.content (id, bytes)
  select id, substring($1::bytea from start for size) from unnest($2::uuid[], $3::int[], $4::int[]) as part(id, start, size)
  on conflict do nothing`;

const READ = `
  select id, octet_length(bytes) as size, case when octet_length(bytes) <= ${INLINE_BYTES} then bytes end as bytes
  from content where id = any($1)`;

/** Content in the schema `blobs` of a database. */
export class PostgresBlobStore implements BlobStore {
  readonly transactional = true;
  private readonly joined: JoinedTransactions;

  private constructor(private readonly database: DataSource) {
    this.joined = new JoinedTransactions(database);
  }

  /** Creates schema and table if they are missing. */
  static async open({ url, logger, poolSize = 4 }: PostgresBlobStoreOptions): Promise<PostgresBlobStore> {
    const options = { url, logger, poolSize, schema: 'blobs', entities: [], migrations: BLOB_MIGRATIONS };
    return new PostgresBlobStore(await openDatabase(options));
  }

  async put(contents: readonly Content[], manager?: EntityManager): Promise<void> {
    checkIds(contents.map(({ id }) => id));
    const joins = manager !== undefined && (await this.joined.admits(manager));
    const writer = joins ? manager : this.database.manager;
    for (const { bytes, ids, starts, sizes } of batchesOf(contents)) {
      await writer.query(INSERT, [bytes, ids, starts, sizes]);
    }
  }

  async get(ids: readonly string[]): Promise<Map<string, Buffer>> {
    checkIds(ids);
    const found = new Map<string, Buffer>();
    for (let at = 0; at < ids.length; at += READ_BATCH) {
      const rows = await this.database.query<{ id: string; size: number; bytes: Buffer | null }[]>(READ, [
        ids.slice(at, at + READ_BATCH),
      ]);
      for (const { id, size, bytes } of rows) {
        const whole = bytes ?? (await wholeOf(this.database, id, size));
        if (whole !== undefined) found.set(id, whole);
      }
    }
    return found;
  }

  stream(id: string, from = 0): Readable {
    checkIds([id]);
    return Readable.from(buffersOf(slicesOf(this.database, id, from)), { objectMode: false });
  }

  async delete(ids: readonly string[]): Promise<void> {
    checkIds(ids);
    await this.database.query('delete from content where id = any($1)', [ids]);
  }

  async *idsOf(span: Span): AsyncGenerator<string[]> {
    for (let after = placeOf(span.from); ;) {
      const rows = await this.database.query<{ id: string }[]>(
        `select id from content where id > $1 and id < $2 order by id limit ${LIST_BATCH}`,
        [after, placeOf(span.to)],
      );
      const ids = rows.map(({ id }) => id);
      yield ids.filter((id) => isOfSpan(id, span));
      if (ids.length < LIST_BATCH) return;
      after = ids.at(-1) ?? after;
    }
  }

  async ready(): Promise<boolean> {
    return this.database.query('select from content limit 0').then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    if (this.database.isInitialized) await this.database.destroy();
  }
}

// The driver receives text only, so bytes are sent as base64, which is two thirds of the size of its hexadecimal form.
const SLICE_BYTES = 512 * 1024;

/** Reads one content slice by slice, in base64. @throws BlobMissing, also when it is deleted meanwhile */
async function* slicesOf(database: DataSource, id: string, from = 0): AsyncGenerator<string> {
  for (let start = 1 + from, size = Infinity; start <= size; start += SLICE_BYTES) {
    const rows = await database.query<{ size: number; slice: string }[]>(
      `select octet_length(bytes) as size, encode(substring(bytes from $2 for $3), 'base64') as slice
       from content where id = $1`,
      [id, start, SLICE_BYTES],
    );
    const [row] = rows;
    if (row === undefined) throw new BlobMissing(id);
    size = row.size;
    if (row.slice !== '') yield row.slice;
  }
}

async function* buffersOf(slices: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const slice of slices) yield Buffer.from(slice, 'base64');
}

/** Reads one content into one buffer, the only copy of the whole. @returns undefined when it is missing */
async function wholeOf(database: DataSource, id: string, size: number): Promise<Buffer | undefined> {
  const whole = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  try {
    for await (const slice of slicesOf(database, id)) filled += whole.write(slice, filled, 'base64');
  } catch (error) {
    if (error instanceof BlobMissing) return undefined;
    throw error;
  }
  return whole;
}

class CreateContent1764000000021 implements MigrationInterface {
  name = 'CreateContent1764000000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table content (id uuid primary key, bytes bytea not null)');
    // uncompressed, so that a slice is read without the rest; attachments do not compress anyway
    await runner.query('alter table content alter column bytes set storage external');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const BLOB_MIGRATIONS = [CreateContent1764000000021] as const;
