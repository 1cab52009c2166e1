import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { insertRows } from '@postmesh/database';
import type { Telling } from '../match-events/matching.rules.js';

/** An event that is told piece by piece. */
export interface FanOut extends Telling {
  id: string;
  /** webhooks up to this one have been told */
  told_until: string | null;
  /** webhooks that came later were not there when it happened */
  matched_at: Date;
}

const COLUMNS = {
  account_id: ['uuid', ({ event }: Telling) => event.accountId],
  // as text: what is signed must not be put into another order
  event: ['text', ({ event }: Telling) => JSON.stringify(event)],
  trace: ['text', ({ trace }: Telling) => trace],
  matched_at: ['timestamptz', () => new Date()],
} as const;
// Bounds one statement's memory.
const INSERT_ROWS = 2_000;

/** The table `fan_outs`: what is still to be told, a queue per account. */
@Injectable()
export class FanOuts {
  async add(tx: EntityManager, tellings: readonly Telling[]): Promise<void> {
    for (let at = 0; at < tellings.length; at += INSERT_ROWS)
      await insertRows(tx, 'fan_outs', COLUMNS, tellings.slice(at, at + INSERT_ROWS));
  }

  /** The next account behind this one, in a circle, of those that are not resting. */
  async nextAccount(
    manager: EntityManager,
    last: string,
    resting: readonly string[],
  ): Promise<string | undefined> {
    const rows: { account_id: string }[] = await manager.query(
      `(select account_id from fan_outs where account_id > $1 and account_id <> all($2::uuid[])
          order by account_id limit 1)
       union all
       (select account_id from fan_outs where account_id <> all($2::uuid[]) order by account_id limit 1)
       limit 1`,
      [last, resting],
    );
    return rows[0]?.account_id;
  }

  /** Whether this transaction is the one that tells this account's events. */
  async hold(tx: EntityManager, accountId: string): Promise<boolean> {
    const [row]: { held: boolean }[] = await tx.query(
      `select pg_try_advisory_xact_lock(hashtext('fan-outs of an account'), hashtext($1)) as held`,
      [accountId],
    );
    return row?.held === true;
  }

  /** Its oldest events. */
  async front(tx: EntityManager, accountId: string, limit: number): Promise<FanOut[]> {
    const rows: (Omit<FanOut, 'event'> & { event: string })[] = await tx.query(
      `select id, event, trace, told_until, matched_at from fan_outs
       where account_id = $1 order by id limit $2`,
      [accountId, limit],
    );
    return rows.map((row) => ({ ...row, event: JSON.parse(row.event) }));
  }

  async remove(tx: EntityManager, fanOuts: readonly FanOut[]): Promise<void> {
    await tx.query('delete from fan_outs where id = any($1::bigint[])', [fanOuts.map(({ id }) => id)]);
  }

  async toldUntil(tx: EntityManager, { id }: FanOut, webhookId: string): Promise<void> {
    await tx.query('update fan_outs set told_until = $2 where id = $1', [id, webhookId]);
  }

  /** Nobody can tell it: it stands among the dead letters, for an operator to see. */
  async giveUp(tx: EntityManager, fanOut: FanOut, why: { kind: string; reason: string }): Promise<void> {
    await this.remove(tx, [fanOut]);
    await tx.query(
      `insert into dead_letters (consumer, event_id, stream, kind, reason, envelope)
       values ('webhooks.fan-outs', $1, 'webhook-deliveries', $2, $3, $4) on conflict do nothing`,
      [fanOut.id, why.kind, why.reason, JSON.stringify(fanOut)],
    );
  }
}
