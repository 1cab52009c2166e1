import type { DataSource, EntityManager } from 'typeorm';
import { changedRows } from '@postmesh/database';
import {
  SINGLE,
  type Ending,
  type Lane,
  type LeasedItem,
  type LeasedRow,
  type LeasedTable,
  type NewRow,
} from './leased-table.js';
import type { ClaimBounds } from './places.js';
import { statementsOf } from './statements.js';
import type { ClaimedTurn, Turns } from './turns.js';

export interface ClaimRequest {
  readonly worker: string;
  readonly leaseSeconds: number;
  readonly bounds: ClaimBounds;
  readonly turns: Pick<Turns, 'afterGroup' | 'cursorOf' | 'lanes'>;
  /** groups that are visited in turn */
  readonly mostGroups: number;
}

export interface Claimed<Item> {
  /** in the order in which they are to begin */
  readonly items: Item[];
  /** their positions in the round-robin of groups and accounts, in the same order */
  readonly turns: ClaimedTurn[];
  /** ready rows are left, of any group */
  readonly leftBehind: boolean;
  /** groups below their limit got only a part of it, as there are many groups */
  readonly isCut: boolean;
  /** groups with ready rows, in turn */
  readonly groups: readonly string[];
  /** there may be more groups than those */
  readonly hasMoreGroups: boolean;
}

export interface Swept {
  /** some row is ready */
  readonly isReady: boolean;
  /** some row became ready in a group that is not claimed (`claimsAfter`) */
  readonly isUnclaimable: boolean;
  /** more rows may be due, or past their end */
  readonly isCut: boolean;
  /** milliseconds until the next row is due; undefined when none waits */
  readonly nextMs: number | undefined;
  /** accounts and groups of singles that have become ready */
  readonly fresh: readonly (readonly [accountId: string, key: string])[];
}

/** A row of a worker that died, or whose lease ran out. */
export interface Abandoned<Item> {
  readonly item: Item;
  /** workers that died in a row while they had it in flight, this one included */
  readonly crashes: number;
}

/** One lease of one row. */
const leaseOf = (id: string, token: string): string => `${id}/${token}`;

/** The rows of one leased queue: claims, leases, endings. Many rows per statement. */
export class LeasedRows<Item extends LeasedItem> {
  private readonly sql;

  constructor(
    private readonly dataSource: DataSource,
    private readonly table: LeasedTable<Item>,
  ) {
    this.sql = statementsOf(table);
  }

  /** Claims ready rows, with the fairness of claim.sql.ts. */
  async claim(request: ClaimRequest): Promise<Claimed<Item>> {
    const rows: ClaimedRow[] = await this.dataSource.query(this.sql.claim, parametersOf(request));
    const [looked] = rows;
    // a row without an id has only the visited groups, when nothing was claimed
    const claimed = rows.filter(({ id }) => id !== null).sort((a, b) => a.position - b.position);
    return {
      items: claimed.map((row) => this.table.toItem(row)),
      turns: claimed.map(turnOf),
      leftBehind: (looked?.ready ?? 0) > claimed.length,
      isCut: looked?.is_cut ?? false,
      groups: looked?.walked ?? [],
      hasMoreGroups: (looked?.walked.length ?? 0) >= request.mostGroups,
    };
  }

  /** Due rows become ready, and so do rows past their end, under any group. */
  async sweep(): Promise<Swept> {
    const [swept]: SweptRow[] = await this.dataSource.query(this.sql.sweep);
    return {
      isReady: swept?.is_ready ?? false,
      isUnclaimable: swept?.is_unclaimable ?? false,
      isCut: swept?.is_cut ?? false,
      nextMs: swept?.next_ms ?? undefined,
      fresh: swept?.fresh ?? [],
    };
  }

  /**
   * Inserts rows, some of them as claimed by this worker. An existing row stays as it is.
   * @returns the claimed ones that are new
   */
  async insert(
    manager: EntityManager,
    rows: readonly NewRow[],
    claimed: { worker: string; leaseSeconds: number; ids: ReadonlySet<string> },
  ): Promise<Item[]> {
    if (rows.length === 0) return [];
    const columns = Object.keys(this.table.columns);
    const isLeased = rows.every(({ id }) => claimed.ids.has(id));
    const statement = isLeased ? this.sql.insertLeased : this.sql.insert;
    const inserted: InsertedRow[] = await manager.query(statement, [
      claimed.worker,
      claimed.leaseSeconds,
      rows.map(({ id }) => id),
      rows.map(({ accountId }) => accountId),
      rows.map(({ key }) => key),
      rows.map(({ lane }) => lane ?? SINGLE),
      rows.map(({ id }) => claimed.ids.has(id)),
      rows.map(({ dueAt }) => dueAt.toISOString()),
      rows.map(({ endsAt }) => sqlValue(endsAt)),
      rows.map(({ state }) => state ?? null),
      rows.map(({ id, reason }) => (claimed.ids.has(id) ? 'an attempt is in flight' : reason)),
      ...columns.map((column) => rows.map((row) => sqlValue(row.columns[column]))),
    ]);
    const found = new Map(inserted.map((row) => [row.id, row]));
    return rows.flatMap((row) => {
      const own = found.get(row.id);
      found.delete(row.id);
      return own ? [this.table.toItem(asClaimed(row, own))] : [];
    });
  }

  /**
   * Records the results of rows whose lease is still this worker's. A late result also counts while no worker has
   * claimed the row since; a final one counts while no worker holds the row.
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

  /** An attempt may last longer than its lease: rows in flight in this worker are not given to others. */
  async renew(worker: string, ids: readonly string[], leaseSeconds: number): Promise<void> {
    await this.dataSource.query(this.sql.renew, [worker, ids, leaseSeconds]);
  }

  /**
   * Gives back all rows of the worker as if they had not been claimed: after a claim whose result was lost, or at a
   * stop.
   * @param kept ids that the worker keeps
   */
  giveBack(worker: string, kept: readonly string[]): Promise<number> {
    return changedRows(this.dataSource, this.sql.giveBack, [worker, kept]);
  }

  /**
   * Frees rows whose worker left or is known to be dead, and those whose lease ran out. They are due at once; rows with
   * several crashes are spread out one after the other, so that only the cause of the next crash is in flight then.
   * @returns them, with the number of the attempt that was in flight
   */
  async freeAbandoned(
    manager: EntityManager,
    {
      silenceSeconds,
      limit,
      mayRunOut,
      dead,
    }: { silenceSeconds: number; limit: number; mayRunOut: boolean; dead: readonly string[] },
  ): Promise<Abandoned<Item>[]> {
    const rows: (LeasedRow & { crashes: number })[] = await manager.query(this.sql.freeAbandoned, [
      silenceSeconds,
      limit,
      mayRunOut,
      dead,
    ]);
    return rows.map((row) => ({ item: this.table.toItem(row), crashes: row.crashes }));
  }

  /** Removes rows, whichever worker holds them. */
  async remove(manager: EntityManager, items: readonly Item[]): Promise<void> {
    await manager.query(this.sql.remove, [items.map(({ id }) => id)]);
  }

  /** Whether another worker has an attempt of the row in flight, later than this lease. */
  async isHeldByOthers({ id, leaseToken }: Pick<Item, 'id' | 'leaseToken'>): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(this.sql.isHeldByOthers, [id, leaseToken]);
    return rows.length > 0;
  }

  /**
   * Records the heartbeat of a worker.
   * @returns the database's time, ms; whether others hold rows, or one of its own leases ran out
   */
  async beat(worker: string, process: string | null): Promise<{ now: number; mayFree: boolean }> {
    const [row]: { now: number; mayFree: boolean }[] = await this.dataSource.query(this.sql.beat, [
      worker,
      process,
    ]);
    if (!row) throw new Error('a heartbeat wrote no row');
    return row;
  }

  /** Workers except this one without a heartbeat for `seconds`, with their registered processes. */
  silentOthers(worker: string, seconds: number): Promise<{ id: string; process: string }[]> {
    return this.dataSource.query(this.sql.silentOthers, [worker, seconds]);
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
      later.map(({ next }) => next?.groupKey ?? null),
      later.map(({ next }) => next?.dueAt.toISOString()),
      later.map(({ next }) => sqlValue(next?.endsAt)),
      later.map(({ next }) => next?.state ?? 'waiting'),
      later.map(({ next }) => next?.reason),
      later.map(({ next }) => next?.attempts),
      later.map(({ next }) => sqlValue(next?.firstAttemptAt)),
      ...columns.map((column) => later.map(({ next }) => sqlValue(next?.columns?.[column]))),
    ]);
    return rows.map((row) => leaseOf(row.id, row.lease_token));
  }
}

/** A row that was inserted as claimed, with the table's lookups. */
interface InsertedRow {
  readonly id: string;
  readonly lane: Lane;
  readonly first_attempt_at: Date;
  readonly [lookup: string]: unknown;
}

interface LeaseRow {
  id: string;
  lease_token: string;
}

interface ClaimedRow extends LeasedRow {
  readonly position: number;
  readonly group_nth: number;
  readonly account_nth: number;
  readonly walked: readonly string[];
  readonly is_cut: boolean;
  readonly ready: number;
}

interface SweptRow {
  readonly is_ready: boolean;
  readonly is_unclaimable: boolean;
  readonly is_cut: boolean;
  readonly next_ms: number | null;
  readonly fresh: [string, string][] | null;
}

const turnOf = (row: ClaimedRow): ClaimedTurn => ({
  accountId: row.account_id,
  key: row.key,
  lane: row.lane,
  groupNth: row.group_nth,
  accountNth: row.account_nth,
});

export const parametersOf = ({
  worker,
  leaseSeconds,
  bounds,
  turns,
  mostGroups,
}: ClaimRequest): unknown[] => [
  worker,
  bounds.limit,
  leaseSeconds,
  bounds.groups.map(({ key }) => key),
  bounds.groups.map(({ room }) => room),
  bounds.groups.map(({ isVisited }) => isVisited),
  bounds.groups.map(({ key }) => turns.cursorOf(key).single),
  bounds.groups.map(({ key }) => turns.cursorOf(key).bulk),
  bounds.otherGroups,
  turns.afterGroup,
  mostGroups,
  bounds.accounts.map(({ id }) => id),
  bounds.accounts.map(({ room }) => room),
  bounds.otherAccounts,
  bounds.lessForBulk,
  bounds.bulkLimit,
  turns.lanes,
  bounds.flows.map(({ accountId }) => accountId),
  bounds.flows.map(({ key }) => key),
  bounds.flows.map(({ used }) => used),
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
