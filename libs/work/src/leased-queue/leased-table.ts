/** Priority of single messages, and of bulk mail. */
export const SINGLE = 0 as const;
export const BULK = 1 as const;
export type Lane = typeof SINGLE | typeof BULK;

/**
 * A table of a leased queue. In addition to the columns that are named here it has:
 *
 *     id uuid primary key, account_id uuid not null,
 *     group_key text collate "C"                 -- by which work is claimed and limited, with the account: the MX
 *                                                -- group, the host that is called; null until the row is ready
 *     lane smallint not null default 0           -- SINGLE, BULK
 *     state text not null default 'waiting'      -- 'ready', 'waiting', 'leased', and what the user adds (never claimed)
 *     due_at timestamptz not null,
 *     ends_at timestamptz                        -- from then on it is claimed even if its group is at its limit
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
 * `ready` is due and claimable. Only the intake and the sweep make a row ready; all others write `waiting`, and due
 * rows become ready at the next sweep. So claims never read rows that wait for their time, however many there are.
 */
export interface LeasedTable<Item extends LeasedItem> {
  readonly name: string;
  /** further columns with their PostgreSQL types; an insert gives each, a claim returns each */
  readonly columns: Readonly<Record<string, string>>;
  /** those of them that are set when a row is released, e.g. until when it waits for another reason than its time */
  readonly releaseColumns?: readonly string[];
  /** SQL over `q`: the group key of a row that becomes ready; its existing one unless given */
  readonly groupOf?: string;
  /** no group key up to this one is ever claimed: groups that are not resolved yet sort before all others */
  readonly claimsAfter?: string;
  /** a table with `account_id` and `weight`: how many rows of an account are claimed per round */
  readonly weights?: string;
  /**
   * Further expressions that a claim returns, of an intake too, over `claimed`, e.g. a scalar subquery `as
   * account_state`. One probe of an index each: they are evaluated for every claimed row.
   */
  readonly lookups?: string;
  /** SQL: columns that a row gets when its worker died in the middle of an attempt */
  readonly abandonedSets?: string;
  /** an attempt whose worker died counts; otherwise it is repeated under the same number */
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
  /** the group key: work is limited by it, in addition to the account */
  readonly key: string;
  readonly lane: Lane;
  readonly dueAt: Date;
  /** the number of the attempt in flight, from 1 */
  readonly attempt: number;
  readonly firstAttemptAt: Date;
  /** fencing token: a later claim of the row has a higher one */
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

/** A row to be inserted. */
export interface NewRow {
  readonly id: string;
  readonly accountId: string;
  /** the group key */
  readonly key: string;
  /** `SINGLE` unless given; rows of an account with very many in one group become `BULK` */
  readonly lane?: Lane;
  /** from then on it is claimed even if its group is at its limit, so that its attempt can end it; missing: never */
  readonly endsAt?: Date | null;
  readonly dueAt: Date;
  /** `ready` or `waiting`, by its time, unless given */
  readonly state?: string;
  /** why it waits, for people */
  readonly reason: string;
  /** by column name, as a claim would return them (a Date for a time); a missing one is null */
  readonly columns: Readonly<Record<string, unknown>>;
}

/** The new state of a row after its attempt; `next: null` deletes it. */
export interface Ending<Item extends LeasedItem = LeasedItem> {
  readonly item: Item;
  readonly next: NextTime | null;
}

export interface NextTime {
  readonly dueAt: Date;
  /** `waiting` unless given */
  readonly state?: string;
  readonly reason: string;
  /** number of attempts; one less than the item's when the claim led to no attempt */
  readonly attempts: number;
  readonly firstAttemptAt: Date | null;
  /** the resolved group of the row; unless given it keeps its key */
  readonly groupKey?: string;
  /** as in `NewRow` */
  readonly endsAt?: Date | null;
  /** of the table's `releaseColumns`; a missing one is null */
  readonly columns?: Readonly<Record<string, unknown>>;
}

/** How much of each group this worker may have in flight, queried at every claim. */
export interface GroupRooms {
  /** most in flight in this worker of a group that is not named in `entries` */
  readonly others: number;
  /** groups with a limit of their own, now: 0 = claim nothing */
  entries(): Iterable<readonly [groupKey: string, room: number]>;
  of(groupKey: string): number;
}

/** Every group has the same limit. */
export const constantRooms = (others: number): GroupRooms => ({
  others,
  entries: () => [],
  of: () => others,
});
