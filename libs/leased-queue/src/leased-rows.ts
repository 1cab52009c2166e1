import type { DataSource, EntityManager } from 'typeorm';
import type { FreePermits } from './fair-permits.js';
import type { Ending, LeasedItem, LeasedRow, LeasedTable, NewRow } from './leased-table.js';
import { MAX_FLOWS, statementsOf } from './statements.js';

export interface ClaimRequest {
  readonly worker: string;
  readonly limit: number;
  readonly leaseSeconds: number;
  readonly keys: FreePermits;
  readonly accounts: FreePermits;
  /** what accounts have in flight of each key */
  readonly flows: readonly { readonly accountId: string; readonly key: string; readonly used: number }[];
}

export interface OldestClaimed<Item> {
  readonly items: Item[];
  /** due rows were seen that stay behind */
  readonly leftBehind: boolean;
  /** so many of them at the head of the queue that others may be hidden behind them */
  readonly headIsBlocked: boolean;
}

/** One lease of one row. */
const leaseOf = (id: string, token: string): string => `${id}/${token}`;

// Enough to find what has a permit behind a few that have none.
const SPARE_WINDOW = 50;
const BEFORE_ALL_FLOWS = { account: '00000000-0000-0000-0000-000000000000', key: '' };

/** The rows of one leased queue: claims, leases, endings. Many rows per statement. */
export class LeasedRows<Item extends LeasedItem> {
  private readonly sql;
  /** flows up to here had their turn */
  private after = BEFORE_ALL_FLOWS;

  constructor(
    private readonly dataSource: DataSource,
    private readonly table: LeasedTable<Item>,
  ) {
    this.sql = statementsOf(table);
  }

  /** Claims the oldest due rows. Looks at the head of the queue only. */
  async claimOldest(request: ClaimRequest): Promise<OldestClaimed<Item>> {
    const window = request.limit * 2 + SPARE_WINDOW;
    const rows: ClaimedRow[] = await this.dataSource.query(this.sql.claimOldest, [
      ...parametersOf(request),
      window,
    ]);
    const items = this.itemsOf(rows);
    const seen = rows[0]?.seen ?? 0;
    const leftBehind = seen > items.length;
    return { items, leftBehind, headIsBlocked: seen >= window && items.length < request.limit };
  }

  /**
   * Claims due rows flow by flow (an account's rows of one key), in turns: a few hundred flows per call, so that a
   * backlog at the head of the queue hides nobody.
   */
  async claimInTurns(request: ClaimRequest): Promise<Item[]> {
    const { account, key } = this.after;
    const rows: ClaimedRow[] = await this.dataSource.query(this.sql.claimInTurns, [
      ...parametersOf(request),
      account,
      key,
    ]);
    const items = this.itemsOf(rows);
    const [first] = rows;
    const isEnd = items.length < request.limit && (first?.seen ?? 0) < MAX_FLOWS;
    this.after =
      isEnd || !first?.last_account
        ? BEFORE_ALL_FLOWS
        : { account: first.last_account, key: first.last_key ?? '' };
    return items;
  }

  /** @returns milliseconds until the next row is due, negative when one is; undefined when none waits */
  async nextDueInMs(): Promise<number | undefined> {
    const rows: { ms: number | null }[] = await this.dataSource.query(this.sql.nextDue);
    return rows[0]?.ms ?? undefined;
  }

  /**
   * Takes rows in, some of them as claimed by this worker. A row that is there already stays as it is.
   * @returns the claimed ones that are new
   */
  async insert(
    manager: EntityManager,
    rows: readonly NewRow[],
    claimed: { worker: string; leaseSeconds: number; ids: ReadonlySet<string> },
  ): Promise<Item[]> {
    if (rows.length === 0) return [];
    const columns = Object.keys(this.table.columns);
    const inserted: InsertedRow[] = await manager.query(this.sql.insert, [
      claimed.worker,
      claimed.leaseSeconds,
      rows.map(({ id }) => id),
      rows.map(({ accountId }) => accountId),
      rows.map(({ key }) => key),
      rows.map(({ dueAt }) => dueAt.toISOString()),
      rows.map(({ id, state }) => (claimed.ids.has(id) ? 'leased' : (state ?? 'waiting'))),
      rows.map(({ id, reason }) => (claimed.ids.has(id) ? 'an attempt is in flight' : reason)),
      rows.map(({ id }) => claimed.ids.has(id)),
      ...columns.map((column) => rows.map((row) => sqlValue(row.columns[column]))),
    ]);
    const given = new Map(rows.map((row) => [row.id, row]));
    return inserted.flatMap((row) => {
      const own = given.get(row.id);
      return own ? [this.table.toItem(asClaimed(own, row))] : [];
    });
  }

  /**
   * Writes down what became of rows, where the lease is still this worker's.
   * @returns for each ending, in their order, whether it was written
   */
  async settle(manager: EntityManager, worker: string, endings: readonly Ending[]): Promise<boolean[]> {
    const written = new Set([
      ...(await this.finish(
        manager,
        worker,
        endings.filter(({ next }) => next === null),
      )),
      ...(await this.release(
        manager,
        worker,
        endings.filter(({ next }) => next !== null),
      )),
    ]);
    return endings.map(({ item }) => written.has(leaseOf(item.id, item.leaseToken)));
  }

  /** An attempt may last longer than its lease: what this worker is still at is not given to others. */
  async renew(worker: string, ids: readonly string[], leaseSeconds: number): Promise<void> {
    await this.dataSource.query(this.sql.renew, [worker, ids, leaseSeconds]);
  }

  /**
   * Gives back whatever the worker holds, as if it had not been claimed: a claim whose answer was lost, a stop.
   * @param kept ids that it keeps
   */
  async giveBack(worker: string, kept: readonly string[]): Promise<number> {
    const [, count]: [unknown, number] = await this.dataSource.query(this.sql.giveBack, [worker, kept]);
    return count;
  }

  /**
   * Frees rows whose worker died or whose lease ran out; they are due at once.
   * @returns them, with the number of the attempt that was in flight
   */
  async freeAbandoned(
    manager: EntityManager,
    { silenceSeconds, limit, mayCallDead }: { silenceSeconds: number; limit: number; mayCallDead: boolean },
  ): Promise<Item[]> {
    const rows: LeasedRow[] = await manager.query(this.sql.freeAbandoned, [
      silenceSeconds,
      limit,
      mayCallDead,
    ]);
    return rows.map((row) => this.table.toItem(row));
  }

  /** Workers that are long dead and hold nothing. */
  async forgetWorkers(): Promise<void> {
    await this.dataSource.query(this.sql.forgetWorkers);
  }

  private async finish(manager: EntityManager, worker: string, ended: readonly Ending[]): Promise<string[]> {
    if (ended.length === 0) return [];
    const [rows]: [LeaseRow[], number] = await manager.query(this.sql.finish, [
      worker,
      ended.map(({ item }) => item.id),
      ended.map(({ item }) => item.leaseToken),
    ]);
    return rows.map((row) => leaseOf(row.id, row.lease_token));
  }

  private async release(manager: EntityManager, worker: string, later: readonly Ending[]): Promise<string[]> {
    if (later.length === 0) return [];
    const columns = this.table.releaseColumns ?? [];
    const [rows]: [LeaseRow[], number] = await manager.query(this.sql.release, [
      worker,
      later.map(({ item }) => item.id),
      later.map(({ item }) => item.leaseToken),
      later.map(({ next }) => next?.dueAt.toISOString()),
      later.map(({ next }) => next?.state ?? 'waiting'),
      later.map(({ next }) => next?.reason),
      later.map(({ next }) => next?.attempts),
      later.map(({ next }) => sqlValue(next?.firstAttemptAt)),
      ...columns.map((column) => later.map(({ next }) => sqlValue(next?.columns?.[column]))),
    ]);
    return rows.map((row) => leaseOf(row.id, row.lease_token));
  }

  /** One row without an id tells what was seen when nothing was claimed. */
  private itemsOf(rows: readonly ClaimedRow[]): Item[] {
    return rows
      .filter(({ id }) => id !== null)
      .map((row) => this.table.toItem(row))
      .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || (a.id < b.id ? -1 : 1));
  }
}

/** A row that was taken in as claimed, with the table's lookups. */
interface InsertedRow {
  readonly id: string;
  readonly first_attempt_at: Date;
  readonly [lookup: string]: unknown;
}

interface LeaseRow {
  id: string;
  lease_token: string;
}

interface ClaimedRow extends LeasedRow {
  readonly seen: number;
  readonly last_account: string | null;
  readonly last_key: string | null;
}

const parametersOf = ({ worker, limit, leaseSeconds, keys, accounts, flows }: ClaimRequest): unknown[] => [
  worker,
  limit,
  leaseSeconds,
  keys.keys,
  keys.permits,
  keys.others,
  accounts.keys,
  accounts.permits,
  accounts.others,
  flows.map(({ accountId }) => accountId),
  flows.map(({ key }) => key),
  flows.map(({ used }) => used),
];

// The driver writes dates of arrays in local time, digit by digit; their ISO form is exact and cheaper.
const sqlValue = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : (value ?? null));

const asClaimed = (row: NewRow, inserted: InsertedRow): LeasedRow => ({
  ...row.columns,
  ...inserted,
  account_id: row.accountId,
  key: row.key,
  due_at: row.dueAt,
  attempts: 1,
  lease_token: '1',
});
