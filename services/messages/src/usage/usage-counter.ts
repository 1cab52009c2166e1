import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import {
  admitWithin,
  creditsOf,
  familyOf,
  isCapped,
  usageKey,
  usageRows,
  type Credit,
  type UsageClaim,
  type UsageRow,
} from './usage.rules.js';

// Slots per account and month. A process has a random block of them; two processes with the same block only
// wait for each other's commits.
const BLOCKS = 8;
const SLOTS_PER_BLOCK = 4;

/**
 * Counts accepted messages in the transaction that accepts them, and finds claims above the credit.
 *
 * Its rows are deltas and totals in one: each commit adds to the row of its slot. `Counters` of libs/database would
 * insert a row for every commit that accepts mail, and `readUsed`, which runs while a family waits, would sum the rows
 * since the last fold instead of 33 here.
 */
@Injectable()
export class UsageCounter {
  private readonly block = randomInt(BLOCKS);
  private readonly freeSlots = Array.from({ length: SLOTS_PER_BLOCK }, (_, nth) => nth);

  /** Runs a transaction with a slot that no other transaction of this process uses. */
  async withSlot<T>(run: (slot: number) => Promise<T>): Promise<T> {
    const free = this.freeSlots.shift();
    try {
      return await run(this.block * SLOTS_PER_BLOCK + (free ?? 0));
    } finally {
      if (free !== undefined) this.freeSlots.push(free);
    }
  }

  /**
   * Decides which claims fit. Locks their families in every process until the end of the transaction: the first
   * statement of it, so that a waiting transaction holds no other lock.
   * @param claims of capped accounts
   */
  async admit(tx: EntityManager, claims: readonly UsageClaim[]): Promise<boolean[]> {
    if (claims.length === 0) return [];
    await lockFamilies(tx, [...new Set(claims.map(familyOf))]);
    return admitWithin(claims, await readUsed(tx, claims));
  }

  /**
   * Whether one more message would exceed a credit, by the current counts: it takes no lock, so an accept must call
   * `admit` too.
   */
  async isUsedUp(manager: EntityManager, claim: UsageClaim): Promise<boolean> {
    if (!isCapped(claim.credit)) return false;
    return !admitWithin([claim], await readUsed(manager, [claim]))[0];
  }

  /** By the current counts. */
  async credits(manager: EntityManager, claim: UsageClaim): Promise<Credit[]> {
    return isCapped(claim.credit) ? creditsOf(claim, await readUsed(manager, [claim])) : [];
  }

  /** One statement for any number of claims; the slot is held as briefly as possible. */
  async count(tx: EntityManager, claims: readonly UsageClaim[], slot: number): Promise<void> {
    // in one lock order, so that two writers of a slot cannot deadlock
    const rows = usageRows(claims)
      .toSorted((a, b) => (lockOrder(a) < lockOrder(b) ? -1 : 1))
      .map((row) => ({ ...row, slot }));
    await insertRows(tx, 'usage', USAGE_COLUMNS, rows, { onConflict: ADD_UP });
  }
}

const lockOrder = ({ accountId, wholeFamily, period }: UsageRow): string =>
  `${accountId} ${wholeFamily ? 1 : 0} ${period}`;

const USAGE_COLUMNS = {
  account_id: 'uuid',
  whole_family: 'bool',
  period: 'text',
  slot: 'smallint',
  family_id: 'uuid',
  accepted: 'bigint',
  last_accepted_at: 'timestamptz',
} as const;

/** After `on conflict`: adds to the counts. */
export const ADD_UP = `(account_id, whole_family, period, slot) do update
  set accepted = usage.accepted + excluded.accepted,
      last_accepted_at = greatest(usage.last_accepted_at, excluded.last_accepted_at)`;

/** In one lock order, for the same reason. */
async function lockFamilies(tx: EntityManager, families: readonly AccountId[]): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(key) from (
       select distinct hashtextextended('messages.credit ' || family, 0) as key
       from unnest($1::text[]) as given(family) order by key) as ordered`,
    [families],
  );
}

/** A separate statement after the lock: it sees the commits of earlier holders. */
async function readUsed(tx: EntityManager, claims: readonly UsageClaim[]): Promise<Map<string, number>> {
  const wanted = usageRows(claims);
  const rows: (Pick<UsageRow, 'accountId' | 'wholeFamily' | 'period'> & { accepted: string })[] =
    await tx.query(
      `select account_id as "accountId", whole_family as "wholeFamily", period, sum(accepted) as accepted from usage
       where (account_id, whole_family, period) in (select * from unnest($1::uuid[], $2::bool[], $3::text[]))
       group by account_id, whole_family, period`,
      [
        wanted.map((row) => row.accountId),
        wanted.map((row) => row.wholeFamily),
        wanted.map((row) => row.period),
      ],
    );
  return new Map(rows.map((row) => [usageKey(row), Number(row.accepted)]));
}
