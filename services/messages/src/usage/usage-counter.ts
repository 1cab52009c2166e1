import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { admitWithin } from './credit.rules.js';
import { familyOf, usageKey, usageRows, type UsageClaim } from './usage.rules.js';

// Slots per account and month. A process has a block of them, drawn by lot; two processes with the same block only
// wait for each other's commits.
const BLOCKS = 8;
const SLOTS_PER_BLOCK = 4;

/** Counts what accounts send in the transaction that accepts it, and refuses what would pass their credit. */
@Injectable()
export class UsageCounter {
  private readonly block = randomInt(BLOCKS);
  private readonly freeSlots = Array.from({ length: SLOTS_PER_BLOCK }, (_, nth) => nth);

  /** Runs a transaction with a slot that no other transaction of this process has. */
  async withSlot<T>(run: (slot: number) => Promise<T>): Promise<T> {
    const free = this.freeSlots.shift();
    try {
      return await run(this.block * SLOTS_PER_BLOCK + (free ?? 0));
    } finally {
      if (free !== undefined) this.freeSlots.push(free);
    }
  }

  /**
   * Says which claims fit. The families wait from here to the end of the transaction, in every process: to be called
   * first in it, so that whoever waits holds nothing.
   * @param claims of capped accounts
   */
  async admit(manager: EntityManager, claims: readonly UsageClaim[]): Promise<boolean[]> {
    if (claims.length === 0) return [];
    await lockFamilies(manager, [...new Set(claims.map(familyOf))]);
    return admitWithin(claims, await readUsed(manager, claims));
  }

  /** One statement, whatever the number of claims. */
  async count(manager: EntityManager, claims: readonly UsageClaim[], slot: number): Promise<void> {
    if (claims.length === 0) return;
    const rows = usageRows(claims);
    await manager.query(COUNT, [
      rows.map((row) => row.accountId),
      rows.map((row) => row.wholeFamily),
      rows.map((row) => row.period),
      rows.map((row) => row.familyId),
      rows.map((row) => row.accepted),
      rows.map((row) => row.lastAcceptedAt),
      slot,
    ]);
  }
}

// In one order for everybody, so that two that meet in a slot cannot wait for each other.
const COUNT = `
  insert into usage (account_id, whole_family, period, slot, family_id, accepted, last_accepted_at)
  select account_id, whole_family, period, $7, family_id, accepted, last_accepted_at
  from unnest($1::uuid[], $2::bool[], $3::text[], $4::uuid[], $5::bigint[], $6::timestamptz[])
    as given(account_id, whole_family, period, family_id, accepted, last_accepted_at)
  order by account_id, whole_family, period
  on conflict (account_id, whole_family, period, slot) do update
    set accepted = usage.accepted + excluded.accepted,
        last_accepted_at = greatest(usage.last_accepted_at, excluded.last_accepted_at)`;

/** In one order for everybody, for the same reason. */
async function lockFamilies(manager: EntityManager, families: readonly string[]): Promise<void> {
  await manager.query(
    `select pg_advisory_xact_lock(key) from (
       select distinct hashtextextended('messages.credit ' || family, 0) as key
       from unnest($1::text[]) as given(family) order by key) as ordered`,
    [families],
  );
}

/** A statement of its own after the lock: it sees what those committed who had the lock before. */
async function readUsed(manager: EntityManager, claims: readonly UsageClaim[]): Promise<Map<string, number>> {
  const wanted = usageRows(claims);
  const rows: { account_id: string; whole_family: boolean; period: string; accepted: string }[] =
    await manager.query(
      `select account_id, whole_family, period, sum(accepted) as accepted from usage
       where (account_id, whole_family, period) in (select * from unnest($1::uuid[], $2::bool[], $3::text[]))
       group by account_id, whole_family, period`,
      [
        wanted.map((row) => row.accountId),
        wanted.map((row) => row.wholeFamily),
        wanted.map((row) => row.period),
      ],
    );
  return new Map(
    rows.map((row) => [
      usageKey({ accountId: row.account_id, wholeFamily: row.whole_family, period: row.period }),
      Number(row.accepted),
    ]),
  );
}
