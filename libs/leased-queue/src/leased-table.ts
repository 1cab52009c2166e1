/** Lane of mail that somebody waits for, one by one, and of mail that goes out in bulk. */
export const SINGLE = 0 as const;
export const BULK = 1 as const;
export type Lane = typeof SINGLE | typeof BULK;

/**
 * A table of a leased queue. Beside the columns that are named here it has:
 *
 *     id uuid primary key, account_id uuid not null,
 *     group_key text collate "C"                 -- by which work is claimed and bounded beside the account: the MX
 *                                                -- group, the host that is called; null until the row ripens
 *     lane smallint not null default 0           -- SINGLE, BULK
 *     state text not null default 'waiting'      -- 'ready', 'waiting', 'leased', and what the user adds (never claimed)
 *     due_at timestamptz not null,
 *     ends_at timestamptz                        -- from then on it is claimed even if its group has no room
 *     attempts int not null default 0            -- grows when a row is claimed, so it counts the attempt in flight
 *     first_attempt_at timestamptz               -- of the first claim that did not come to nothing
 *     crashes int not null default 0             -- workers that died with it in flight, one after the other
 *     lease_owner uuid, lease_token bigint not null default 0, leased_until timestamptz,
 *     reason text not null                       -- why it waits, for people
 *
 * and the partial indexes (group_key, lane, account_id, due_at) and (ends_at) where state = 'ready', the second without
 * nulls, (due_at) where state = 'waiting', (lease_owner) where state = 'leased'. Its schema has
 * `workers (id uuid primary key, started_at, heartbeat_at timestamptz not null, process text)`.
 *
 * `ready` is due and claimable. Only the intake and the sweep make a row ready; all others write `waiting`, and what is
 * due ripens at the next sweep. So claims never meet what waits for its time, however much that is.
 */
export interface LeasedTable<Item extends LeasedItem> {
  readonly name: string;
  /** further columns with their PostgreSQL types; an insert gives each, a claim returns each */
  readonly columns: Readonly<Record<string, string>>;
  /** those of them that are set when a row is released, e.g. until when it waits for something else than its time */
  readonly releaseColumns?: readonly string[];
  /** SQL over `q`: the group key of a row that ripens; the one that it has unless given */
  readonly groupOf?: string;
  /** no group key up to this one is ever claimed: groups that are not known yet sort before all others */
  readonly claimsAfter?: string;
  /** a table with `account_id` and `weight`: how many rows of an account have their turn when others have one */
  readonly weights?: string;
  /**
   * Further expressions that a claim returns, of an intake too, over `claimed`, e.g. a scalar subquery
   * `as account_state`. One probe of an index each: they are asked for every claimed row.
   */
  readonly lookups?: string;
  /** an attempt whose worker died counts; otherwise it is made again under the same number */
  readonly countsAbandoned: boolean;
  /** the one mapping from a row to what the service works with */
  toItem(row: LeasedRow): Item;
}

/** A claimed row, as the database names it. */
export interface LeasedRow {
  readonly id: string;
  readonly account_id: string;
  /** the group key */
  readonly key: string;
  readonly lane: Lane;
  readonly due_at: Date;
  readonly attempts: number;
  readonly first_attempt_at: Date;
  readonly lease_token: string;
  readonly [column: string]: unknown;
}

/** A row that this worker has claimed. */
export interface LeasedItem {
  readonly id: string;
  readonly accountId: string;
  /** the group key: by which work is bounded beside the account */
  readonly key: string;
  readonly lane: Lane;
  readonly dueAt: Date;
  /** the number of the attempt in flight, from 1 */
  readonly attempt: number;
  readonly firstAttemptAt: Date;
  /** fences: whoever claims the row later has a higher one */
  readonly leaseToken: string;
}

/** The part of an item that every queue has. */
export const leasedItem = (row: LeasedRow): LeasedItem => ({
  id: row.id,
  accountId: row.account_id,
  key: row.key,
  lane: row.lane,
  dueAt: row.due_at,
  attempt: row.attempts,
  firstAttemptAt: row.first_attempt_at,
  leaseToken: row.lease_token,
});

/** A row to be taken in. */
export interface NewRow {
  readonly id: string;
  readonly accountId: string;
  /** the group key */
  readonly key: string;
  /** `SINGLE` unless given; what an account has very much of in one group becomes `BULK` */
  readonly lane?: Lane;
  /** from then on it is claimed even if its group has no room, so that its attempt can end it; missing: never */
  readonly endsAt?: Date | null;
  readonly dueAt: Date;
  /** `ready` or `waiting`, by its time, unless given */
  readonly state?: string;
  /** why it waits, for people */
  readonly reason: string;
  /** by column name, as a claim would return them (a Date for a time); a missing one is null */
  readonly columns: Readonly<Record<string, unknown>>;
}

/** What becomes of a row after its attempt; `next: null` deletes it. */
export interface Ending<Item extends LeasedItem = LeasedItem> {
  readonly item: Item;
  readonly next: NextTime | null;
}

export interface NextTime {
  readonly dueAt: Date;
  /** `waiting` unless given */
  readonly state?: string;
  readonly reason: string;
  /** attempts made; one less than the item's when the claim came to nothing */
  readonly attempts: number;
  readonly firstAttemptAt: Date | null;
  /** the group that was found to be its own; unless given it keeps its key */
  readonly groupKey?: string;
  /** as in `NewRow` */
  readonly endsAt?: Date | null;
  /** of the table's `releaseColumns`; a missing one is null */
  readonly columns?: Readonly<Record<string, unknown>>;
}

/** How much of each group this worker may have in flight, asked at every claim. */
export interface GroupRooms {
  /** most in flight in this worker of a group that is not named in `entries` */
  readonly others: number;
  /** groups with a bound of their own, now: 0 = claim nothing */
  entries(): Iterable<readonly [groupKey: string, room: number]>;
  of(groupKey: string): number;
}

/** Every group has the same room. */
export const constantRooms = (others: number): GroupRooms => ({
  others,
  entries: () => [],
  of: () => others,
});
