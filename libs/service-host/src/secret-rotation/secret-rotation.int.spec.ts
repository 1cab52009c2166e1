import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { Pepper, SecretBox, type PepperedColumn, type SealedColumn } from '@postmesh/secrets';
import { testDatabase } from '@postmesh/testing';
import { rehash } from './rehash.js';
import { SecretRotation } from './secret-rotation.js';
import { SECRET_ROTATION_MIGRATIONS } from './secret-rotations.migrations.js';

const A = 'the-key-of-the-first-year-long-enough';
const B = 'the-key-of-the-second-year-long-enough';
const LOST = 'a-key-that-nobody-has-any-more-at-all';

const NOTES: SealedColumn = {
  kind: 'notes',
  table: 'notes',
  primaryKey: { id: 'uuid' },
  column: 'sealed',
  about: (id) => `note/${id}`,
};
const REPLIES: SealedColumn = {
  kind: 'replies',
  table: 'replies',
  primaryKey: { account_id: 'uuid', key: 'text' },
  column: 'body',
  type: 'bytea',
  where: 'is_sealed',
  about: (account, key) => `reply/${account}/${key}`,
};
const CREDENTIALS: PepperedColumn = {
  kind: 'credentials',
  table: 'credentials',
  hashColumn: 'hash',
  keyIdColumn: 'pepper_id',
};

const database = testDatabase();
const logger = createLogger({ logLevel: 'silent' }, 'secret-rotation-test');
let dataSource: DataSource;

beforeAll(async () => {
  const migrations = SECRET_ROTATION_MIGRATIONS;
  const options = {
    url: database.url,
    schema: 'rotation_test',
    entities: [],
    migrations,
    poolSize: 4,
    logger,
  };
  dataSource = await openDatabase(options);
  await dataSource.query('create table notes (id uuid primary key, sealed text, remark text)');
  await dataSource.query(
    'create table replies (account_id uuid, key text collate "C", body bytea, is_sealed boolean, primary key (account_id, key))',
  );
  await dataSource.query('create table credentials (hash bytea unique, pepper_id text)');
});
beforeEach(() => dataSource.query('truncate notes, replies, credentials, secret_rotations'));
afterAll(() => dataSource.destroy());

function rotation(keys: string[], { notes = NOTES }: { notes?: SealedColumn } = {}): SecretRotation {
  return new SecretRotation({
    dataSource,
    columns: { sealed: [notes, REPLIES], peppered: [CREDENTIALS] },
    secretKeys: keys,
    logger,
  });
}

async function seal(keys: string[], count = 1, { withId = true } = {}): Promise<string[]> {
  const box = new SecretBox(keys);
  const rows = Array.from({ length: count }, (_, at) => {
    const id = randomUUID();
    const sealed = box.seal(`plain ${at}`, NOTES.about(id));
    return { id, sealed: withId ? sealed : sealed.split('.').slice(0, 2).join('.') };
  });
  await dataSource.query('insert into notes (id, sealed) select * from unnest($1::uuid[], $2::text[])', [
    rows.map(({ id }) => id),
    rows.map(({ sealed }) => sealed),
  ]);
  return rows.map(({ id }) => id);
}

async function notesOf(keys: string[]): Promise<string[]> {
  const box = new SecretBox(keys);
  const rows: { id: string; sealed: string }[] = await dataSource.query('select id, sealed from notes');
  return rows.map(({ id, sealed }) => box.open(sealed, NOTES.about(id))).toSorted();
}

const countsOf = async (of: SecretRotation, kind = 'notes') =>
  (await of.status()).secrets.find((one) => one.kind === kind);

/** The work of a process that was asked for a rotation and is not killed. */
async function rotate(of: SecretRotation): Promise<void> {
  await of.request();
  await of.onApplicationShutdown();
  await of.run(new AbortController().signal);
}

describe('the rotation of sealed secrets', () => {
  it('seals everything with the current key, so that the old one can be removed', async () => {
    await seal([A], 250);
    await seal([A], 3, { withId: false });
    await seal([B, A], 2);
    const both = rotation([B, A]);
    expect(await countsOf(both)).toMatchObject({ current: 2, older: 253, unreadable: 0, state: 'to rotate' });
    const before = await notesOf([B, A]);
    await rotate(both);
    expect(await countsOf(both)).toMatchObject({ current: 255, older: 0, unreadable: 0, state: 'current' });
    expect(await notesOf([B])).toEqual(before);
  });

  it('finds a secret by a compound key in a bytea, and leaves rows alone that are not sealed', async () => {
    const account = randomUUID();
    const sealed = new SecretBox([A]).seal('reply', REPLIES.about(account, 'k 1'));
    const insert = 'insert into replies values ($1, $2, $3, $4)';
    await dataSource.query(insert, [account, 'k 1', Buffer.from(sealed), true]);
    await dataSource.query(insert, [account, 'k 2', Buffer.from('v1.plain\\.\xff', 'latin1'), false]);
    const both = rotation([B, A]);
    expect(await countsOf(both, 'replies')).toMatchObject({ current: 0, older: 1 });
    await rotate(both);
    expect(await countsOf(both, 'replies')).toMatchObject({ current: 1, older: 0 });
    const rows: { body: Buffer }[] = await dataSource.query('select body from replies order by key');
    expect(new SecretBox([B]).open(String(rows[0]?.body), REPLIES.about(account, 'k 1'))).toBe('reply');
    expect(rows[1]?.body.toString('latin1')).toBe('v1.plain\\.\xff');
  });

  it('may be requested repeatedly', async () => {
    await seal([A], 5);
    const both = rotation([B, A]);
    await both.request();
    await both.request();
    await rotate(both);
    const rows = () => dataSource.query('select * from notes order by id');
    const done = await rows();
    await rotate(both);
    expect(await rows()).toEqual(done);
    expect(await countsOf(both)).toMatchObject({ current: 5, older: 0, state: 'current' });
  });

  it('reports secrets that no listed key opens, leaves them unchanged, and still ends', async () => {
    const [lost] = await seal([LOST]);
    await seal([LOST], 1, { withId: false });
    const [broken] = await seal([A]);
    await dataSource.query(`update notes set sealed = 'v1.!!.' where id = $1`, [broken]);
    await seal([A], 120);
    const both = rotation([B, A]);
    await rotate(both);
    expect(await countsOf(both)).toMatchObject({ current: 120, older: 0, unreadable: 3, state: 'current' });
    const [row] = await dataSource.query('select sealed from notes where id = $1', [lost]);
    expect(new SecretBox([LOST]).open(row.sealed, NOTES.about(lost as string))).toBe('plain 0');
    const found = rotation([B, A, LOST]);
    expect(await countsOf(found)).toMatchObject({ older: 2, unreadable: 1, state: 'to rotate' });
  });

  it('continues in another process after one died in the middle of a batch', async () => {
    await seal([A], 250);
    let asked = 0;
    const about = (id = ''): string => {
      asked += 1;
      // 100 are opened and 100 sealed in a batch
      if (asked > 350) throw new Error('killed');
      return NOTES.about(id);
    };
    const dying = rotation([B, A], { notes: { ...NOTES, about } });
    await dying.request();
    await dying.onApplicationShutdown();
    asked = 0;
    await expect(dying.run(new AbortController().signal)).rejects.toThrow('killed');
    const [{ count }] = await dataSource.query(
      `select count(*)::int as count from notes where split_part(sealed, '.', 3) = $1`,
      [new SecretBox([B]).keyIds[0]],
    );
    // the whole second batch was rolled back
    expect(count).toBe(100);
    const other = rotation([B, A]);
    expect(await countsOf(other)).toMatchObject({ current: 100, older: 150, state: 'rotating' });
    await other.run(new AbortController().signal);
    expect(await countsOf(other)).toMatchObject({ current: 250, older: 0, state: 'current' });
    expect(await notesOf([B])).toHaveLength(250);
  });

  it('ends between two batches when its process stops, and continues later', async () => {
    await seal([A], 250);
    const stop = new AbortController();
    const about = (id = ''): string => {
      stop.abort();
      return NOTES.about(id);
    };
    const stopping = rotation([B, A], { notes: { ...NOTES, about } });
    await dataSource.query(
      `insert into secret_rotations (kind, key_ids, requested_at) values ('notes', $1, now())`,
      [new SecretBox([B, A]).keyIds],
    );
    await stopping.run(stop.signal);
    expect(await countsOf(rotation([B, A]))).toMatchObject({ current: 100, older: 150, state: 'rotating' });
    await rotation([B, A]).run(new AbortController().signal);
    expect(await countsOf(rotation([B, A]))).toMatchObject({ current: 250, state: 'current' });
  });

  it('never overwrites a concurrent change', async () => {
    const [id = ''] = await seal([A], 150);
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    const newer = new SecretBox([A, B]).seal('newer', NOTES.about(id));
    await runner.query('update notes set sealed = $2, remark = $3 where id = $1', [id, newer, 'kept']);
    const both = rotation([B, A]);
    const rotated = rotate(both);
    // the rotation neither waits for the row nor ends without it
    await expect.poll(() => countsOf(both)).toMatchObject({ current: 149, older: 1, state: 'rotating' });
    await runner.commitTransaction();
    await runner.release();
    await rotated;
    expect(await countsOf(both)).toMatchObject({ current: 150, older: 0, state: 'current' });
    const [row] = await dataSource.query('select sealed, remark from notes where id = $1', [id]);
    expect([new SecretBox([B]).open(row.sealed, NOTES.about(id)), row.remark]).toEqual(['newer', 'kept']);
  });

  it('is shared by two processes that run at the same moment', async () => {
    await seal([A], 450);
    const [one, other] = [rotation([B, A]), rotation([B, A])];
    await Promise.all([rotate(one), rotate(other)]);
    await rotate(one);
    expect(await countsOf(one)).toMatchObject({ current: 450, older: 0, state: 'current' });
    expect(await notesOf([B])).toHaveLength(450);
  });

  it.each([
    ['whose current key is another one', [A, B]],
    ['which lacks a key of the one that was asked', [B]],
  ])('is left to other processes by a process %s', async (_, keys) => {
    await seal([A], 3);
    await dataSource.query(
      `insert into secret_rotations (kind, key_ids, requested_at) values ('notes', $1, now())`,
      [new SecretBox([B, A]).keyIds],
    );
    await rotation(keys).run(new AbortController().signal);
    expect(await countsOf(rotation([B, A]))).toMatchObject({ current: 0, older: 3, state: 'rotating' });
    await rotation([B, A]).run(new AbortController().signal);
    expect(await countsOf(rotation([B, A]))).toMatchObject({ current: 3, older: 0, state: 'current' });
  });
});

describe('hashes under a pepper', () => {
  const insert = (hash: Buffer, keyId: string | null) =>
    dataSource.query('insert into credentials values ($1, $2)', [hash, keyId]);

  it('are counted by key; unknown ones count as older once there is an older key', async () => {
    const [a, b] = [new Pepper([A]), new Pepper([B])];
    await insert(a.hash('one'), a.keyId);
    await insert(a.hash('two'), null);
    await insert(b.hash('three'), b.keyId);
    const of = (keys: string[]) => countsOf(rotation(keys), 'credentials');
    expect(await of([B, A])).toEqual({
      kind: 'credentials',
      current: 1,
      older: 2,
      unreadable: 0,
      state: 'at next use',
    });
    expect(await of([A])).toMatchObject({ current: 2, older: 0, unreadable: 1, state: 'current' });
  });

  it('are stored under the current key when their secret is shown', async () => {
    const [a, both] = [new Pepper([A]), new Pepper([B, A])];
    await insert(a.hash('one'), a.keyId);
    await insert(a.hash('two'), null);
    const shown = ['one', 'two', 'three'].map((secret) => ({
      from: a.hash(secret),
      to: both.hash(secret),
      keyId: both.keyId,
    }));
    await rehash(dataSource, CREDENTIALS, shown);
    await rehash(dataSource, CREDENTIALS, shown);
    const rows = await dataSource.query('select hash, pepper_id from credentials');
    expect(rows).toHaveLength(2);
    for (const secret of ['one', 'two'])
      expect(rows).toContainEqual({ hash: new Pepper([B]).hash(secret), pepper_id: both.keyId });
    expect(await countsOf(rotation([B, A]), 'credentials')).toMatchObject({ current: 2, state: 'current' });
  });
});
