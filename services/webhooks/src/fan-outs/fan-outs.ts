import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { databaseNow, insertRows } from '@postmesh/database';
import type { TracedEvent } from '../request-calls/matching.rules.js';

/** An event that is published in pieces. */
export interface FanOut extends TracedEvent {
  id: string;
  /** the last webhook whose call has been requested */
  told_until: string | null;
  /** webhooks created later do not get the event */
  matched_at: Date;
}

type NewFanOut = TracedEvent & Pick<FanOut, 'matched_at'>;

const COLUMNS = {
  account_id: ['uuid', ({ event }: NewFanOut) => event.accountId],
  // as text: the signed text must keep its order of keys
  event: ['text', ({ event }: NewFanOut) => JSON.stringify(event)],
  trace: ['text', ({ trace }: NewFanOut) => trace],
  matched_at: ['timestamptz', ({ matched_at }: NewFanOut) => matched_at],
} as const;
// Bounds the memory of one statement.
const INSERT_ROWS = 2_000;

/** The table `fan_outs`: events with outstanding calls, a queue per account. */
@Injectable()
export class FanOuts {
  async add(tx: EntityManager, tracedEvents: readonly TracedEvent[]): Promise<void> {
    // compared with times of creation that another process had read
    const matched_at = await databaseNow(tx);
    const rows = tracedEvents.map((tracedEvent) => ({ ...tracedEvent, matched_at }));
    for (let at = 0; at < rows.length; at += INSERT_ROWS)
      await insertRows(tx, 'fan_outs', COLUMNS, rows.slice(at, at + INSERT_ROWS));
  }

  /** The next account after this one, in round-robin order, among those that are not pausing. */
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

  /** Whether this transaction got the lock of the account's fan-outs. */
  async hold(tx: EntityManager, accountId: string): Promise<boolean> {
    const [row]: { held: boolean }[] = await tx.query(
      `select pg_try_advisory_xact_lock(hashtext('fan-outs of an account'), hashtext($1)) as held`,
      [accountId],
    );
    return row?.held === true;
  }

  /** The oldest events of the account. */
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

  /** Moves an event that keeps failing to the dead letters, for an operator. */
  async giveUp(tx: EntityManager, fanOut: FanOut, why: { kind: string; reason: string }): Promise<void> {
    await this.remove(tx, [fanOut]);
    await tx.query(
      `insert into dead_letters (consumer, event_id, stream, kind, reason, envelope)
       values ('webhooks.fan-outs', $1, 'webhook-deliveries', $2, $3, $4) on conflict do nothing`,
      [fanOut.id, why.kind, why.reason, JSON.stringify(fanOut)],
    );
  }
}
