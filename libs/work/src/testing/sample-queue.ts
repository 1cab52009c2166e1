import { newId } from '@postmesh/contracts';
import { DatabaseClock, openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import type { DataSource, EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { LeasedQueue, type LeasedQueueOptions } from '../leased-queue/leased-queue.js';
import {
  constantRooms,
  leasedItem,
  type Ending,
  type LeasedItem,
  type LeasedTable,
  type NewRow,
} from '../leased-queue/leased-table.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');

/** Parcels are taken to towns. Their results are written to `story`, in the transaction of the ending. */
class CreateParcels1764000000001 implements MigrationInterface {
  name = 'CreateParcels1764000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table parcels (
      id uuid primary key, account_id uuid not null, group_key text collate "C", lane smallint not null default 0,
      label text, state text not null default 'waiting', due_at timestamptz(3) not null, ends_at timestamptz(3),
      attempts int not null default 0, first_attempt_at timestamptz(3), lease_owner uuid, lease_token bigint not null default 0,
      crashes int not null default 0, leased_until timestamptz(3), reason text not null default 'waits')`);
    await runner.query(`create index parcels_due on parcels (due_at) where state = 'waiting'`);
    await runner.query(
      `create index parcels_ready on parcels (group_key, lane, account_id, due_at) where state = 'ready'`,
    );
    await runner.query(
      `create index parcels_ends on parcels (ends_at) where state = 'ready' and ends_at is not null`,
    );
    await runner.query('create table weights (account_id uuid primary key, weight int not null)');
    await runner.query(`create index parcels_leased on parcels (lease_owner) where state = 'leased'`);
    await runner.query(`create table workers (
      id uuid primary key, started_at timestamptz(3) not null, heartbeat_at timestamptz(3) not null, process text)`);
    await runner.query(`create table story (
      nth bigint generated always as identity, id uuid, attempt int, said text, account_id uuid, group_key text,
      at timestamptz default clock_timestamp())`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

export interface Parcel extends LeasedItem {
  readonly label: string | null;
}

export const PARCELS: LeasedTable<Parcel> = {
  name: 'parcels',
  groupOf: `coalesce(q.group_key, 'town')`,
  claimsAfter: 'd;',
  weights: 'weights',
  columns: { label: 'text' },
  countsAbandoned: true,
  toItem: (row) => ({ ...leasedItem(row), label: row['label'] as string | null }),
};

export const openParcels = (url: string): Promise<DataSource> =>
  openDatabase({
    url,
    schema: 'parcels',
    entities: [],
    migrations: [CreateParcels1764000000001],
    poolSize: 8,
    logger,
  });

export const parcel = (change: Partial<NewRow> = {}): NewRow => ({
  id: newId(),
  accountId: newId(),
  key: 'town',
  // due by any clock: the database's may be behind ours
  dueAt: new Date(Date.now() - 1_000),
  reason: 'waits for its first attempt',
  columns: { label: 'a book' },
  ...change,
});

interface Carried {
  readonly item: Parcel;
  /** the result; null: the row was given back without an attempt */
  readonly said: string | null;
  /** set when it is to be tried again */
  readonly againAt?: Date;
}

export interface Courier {
  readonly queue: LeasedQueue<Parcel, Carried>;
  /** ids, in the order in which they were begun */
  readonly begun: string[];
  /** those that were reported as lost leases */
  readonly lost: string[];
  add(...rows: NewRow[]): Promise<void>;
  stop(): Promise<void>;
}

/** A worker whose network is the function `carry`. */
export async function startCourier(
  tables: DataSource,
  carry: (item: Parcel) => Promise<string | Date>,
  options: Partial<LeasedQueueOptions> = {},
): Promise<Courier> {
  const begun: string[] = [];
  const lost: string[] = [];
  const stopping = new AbortController();
  const queue: LeasedQueue<Parcel, Carried> = new LeasedQueue<Parcel, Carried>(
    tables,
    PARCELS,
    {
      async make(item) {
        if (stopping.signal.aborted) return { item, said: null, againAt: new Date() };
        begun.push(item.id);
        const came = await carry(item);
        return came instanceof Date ? { item, said: 'later', againAt: came } : { item, said: came };
      },
      async record(manager, made) {
        const own = await queue.settle(manager, made.map(endingOf));
        await tell(
          manager,
          made.filter(({ said }, nth) => own[nth] && said !== null),
        );
        return own;
      },
      recorded(made, own) {
        if (!own) lost.push(made.item.id);
        return made.againAt ?? null;
      },
      hasBegun: ({ id }) => begun.includes(id),
      abandoned: (manager, items) =>
        tell(
          manager,
          items.map((item) => ({ item, said: 'result unknown' })),
        ),
      setAside: (manager, items) =>
        tell(
          manager,
          items.map((item) => ({ item, said: 'set aside' })),
        ),
      async stop() {
        stopping.abort();
      },
    },
    {
      concurrency: 20,
      rooms: constantRooms(20),
      leaseSeconds: 60,
      graceMs: 1_000,
      clock: new DatabaseClock(),
      ...options,
    },
    logger,
  );
  await queue.start();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= queue.stop());
  const add = async (...rows: NewRow[]) => {
    const afterCommit = await tables.transaction((manager) => queue.insert(manager, rows));
    afterCommit();
  };
  return { queue, begun, lost, add, stop };
}

const endingOf = ({ item, said, againAt }: Carried): Ending => ({
  item,
  next:
    againAt === undefined
      ? null
      : {
          dueAt: againAt,
          reason: said ?? 'given back',
          attempts: said === null ? item.attempt - 1 : item.attempt,
          firstAttemptAt: item.firstAttemptAt,
        },
});

async function tell(manager: EntityManager, carried: readonly Carried[]): Promise<void> {
  await manager.query(
    `insert into story (id, attempt, said, account_id, group_key)
     select * from unnest($1::uuid[], $2::int[], $3::text[], $4::uuid[], $5::text[])`,
    [
      carried.map(({ item }) => item.id),
      carried.map(({ item }) => item.attempt),
      carried.map(({ said }) => said),
      carried.map(({ item }) => item.accountId),
      carried.map(({ item }) => item.key),
    ],
  );
}
