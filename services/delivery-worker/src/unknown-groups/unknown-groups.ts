import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GroupCommit } from '@postmesh/database';

/** A domain that deliveries wait for. */
export interface UnknownGroup {
  readonly accountId: string;
  readonly groupKey: string;
  readonly destination: string;
  /** the group that another worker has found meanwhile */
  readonly known: string | null;
}

/** Look-ups in flight, and how many more may begin. */
export interface UnknownRequest {
  readonly limit: number;
  readonly maxPerAccount: number;
  /** look-ups in flight by account */
  readonly used: ReadonlyMap<string, number>;
  /** accounts that may have no more now */
  readonly full: readonly string[];
  /** group keys of the look-ups in flight */
  readonly inFlight: readonly string[];
}

interface Move {
  readonly from: string;
  readonly to: string;
}

/** A page of deliveries that were moved to another group. */
export interface Moved {
  /** there may be more of them in the old one */
  readonly more: boolean;
  readonly count: number;
  /** accounts with single mail among them */
  readonly singles: readonly string[];
}

// Rows of one statement, of all groups together: no lock is held for long.
const PAGE = 2_000;
const MAX_MOVES = 200;
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';

/** Deliveries with an unknown group: the domains that they wait for, account by account, and their move to a group. */
@Injectable()
export class UnknownGroups {
  /** the last account that was served */
  private after = FIRST_ACCOUNT;
  private readonly moves: GroupCommit<Move, Moved>;

  constructor(private readonly dataSource: DataSource) {
    this.moves = new GroupCommit((moves) => this.movePage(moves), {
      maxWeight: MAX_MOVES,
      flushers: 1,
      maxPending: 10_000,
    });
  }

  /**
   * The next domains, in round-robin between accounts: an account that waits for thousands gets no more of a call than
   * one that waits for one.
   * @returns `more`: there may be others that a second call finds
   */
  async next(request: UnknownRequest): Promise<{ found: UnknownGroup[]; more: boolean }> {
    const beganAt = this.after;
    const rows: Row[] = await this.dataSource.query(NEXT, [
      beganAt,
      request.limit,
      request.full,
      [...request.used.keys()],
      [...request.used.values()],
      request.inFlight,
      request.maxPerAccount,
    ]);
    const { accounts = 0, last_account = null } = rows[0] ?? {};
    this.after = accounts >= request.limit && last_account !== null ? last_account : FIRST_ACCOUNT;
    const found = rows.flatMap(({ account_id, group_key, destination, known }) =>
      account_id === null ? [] : [{ accountId: account_id, groupKey: group_key, destination, known }],
    );
    const sawAll = beganAt === FIRST_ACCOUNT && this.after === FIRST_ACCOUNT;
    return { found, more: found.length > 0 || !sawAll };
  }

  /** Moves due deliveries of one group to another, one page at most; locked rows are left for the next run. */
  move(from: string, to: string): Promise<Moved> {
    return this.moves.add({ from, to });
  }

  private async movePage(moves: readonly Move[]): Promise<Moved[]> {
    const share = Math.ceil(PAGE / moves.length);
    const rows: { from_key: string; count: number; singles: string[] | null }[] = await this.dataSource.query(
      MOVE,
      [moves.map(({ from }) => from), moves.map(({ to }) => to), share],
    );
    const moved = new Map(rows.map((row) => [row.from_key, row]));
    return moves.map(({ from }) => {
      const { count = 0, singles = null } = moved.get(from) ?? {};
      return { more: count >= share, count, singles: singles ?? [] };
    });
  }
}

/** A row without an account has the position of the search when nothing was found. */
interface Row {
  readonly accounts: number;
  readonly last_account: string | null;
  readonly account_id: string | null;
  readonly group_key: string;
  readonly destination: string;
  readonly known: string | null;
}

// Uses the partial index deliveries_unknown. Each probe sorts by both of its columns: the index of ready rows by
// account alone would have to be read through.
const UNKNOWN = `d.state = 'ready' and d.group_key >= 'd:' and d.group_key < 'd;'`;

/**
 * One probe per account after the cursor, without the full ones, then one per domain of each, without those in flight.
 * Their shares fill the limit evenly; the remainder goes to the first accounts.
 * $1 the cursor, $2 most, $3 full accounts, $4 accounts with look-ups in flight, $5 how many, $6 keys in flight, $7
 * most of an account
 */
const NEXT = `
  with recursive accounts as (
    (select d.account_id, (d.account_id <> all($3::uuid[]))::int as nth from deliveries d
     where ${UNKNOWN} and d.account_id > $1::uuid order by d.account_id, d.group_key limit 1)
    union all
    select next.account_id, accounts.nth + (next.account_id <> all($3::uuid[]))::int
    from accounts cross join lateral (
      select d.account_id from deliveries d
      where ${UNKNOWN} and d.account_id > accounts.account_id order by d.account_id, d.group_key limit 1) as next
    where accounts.nth < $2::int),
  turns as materialized (
    select account_id, least($7::int - coalesce(busy.used, 0), ceil($2::float8 / count(*) over ()))::int as share
    from accounts left join unnest($4::uuid[], $5::int[]) as busy(account_id, used) using (account_id)
    where account_id <> all($3::uuid[])),
  chosen as materialized (
    select turns.account_id, domain.group_key, domain.nth
    from turns cross join lateral (
      with recursive keys as (
        (select d.group_key, (d.group_key <> all($6::text[]))::int as nth from deliveries d
         where ${UNKNOWN} and d.account_id = turns.account_id order by d.group_key limit 1)
        union all
        select next.group_key, keys.nth + (next.group_key <> all($6::text[]))::int
        from keys cross join lateral (
          select d.group_key from deliveries d
          where ${UNKNOWN} and d.account_id = turns.account_id and d.group_key > keys.group_key
          order by d.group_key limit 1) as next
        where keys.nth < turns.share)
      select group_key, nth from keys where group_key <> all($6::text[])) as domain
    order by domain.nth, turns.account_id limit $2::int)
  select looked.*, chosen.account_id, chosen.group_key, one.destination, m.group_key as known
  from (
    select count(*)::int as accounts,
      (select account_id from accounts order by account_id desc limit 1) as last_account
    from turns) as looked
  left join chosen on true
  left join lateral (
    select d.destination from deliveries d
    where ${UNKNOWN} and d.account_id = chosen.account_id and d.group_key = chosen.group_key limit 1) as one on true
  left join mx_domains m on m.domain = lower(one.destination) and m.expires_at > now()
  order by chosen.nth, chosen.account_id`;

// Uses deliveries_ready: one range of it for each group.
const MOVE = `
  with page as materialized (
    select due.id, given.from_key, given.to_key
    from unnest($1::text[], $2::text[]) as given(from_key, to_key)
    cross join lateral (
      select d.id from deliveries d where d.state = 'ready' and d.group_key = given.from_key
      limit $3 for update skip locked) as due),
  moved as (
    update deliveries d set group_key = page.to_key from page where d.id = page.id
    returning page.from_key, d.account_id, d.lane)
  select from_key, count(*)::int as count, json_agg(distinct account_id) filter (where lane = 0) as singles
  from moved group by from_key`;
