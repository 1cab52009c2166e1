import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CancelDeliveriesRequest } from '@postmesh/delivery-worker-contract';
import { insertRows } from '@postmesh/database';
import { INTAKES_KEPT_DAYS } from './forget-canceled.js';

type Wanted = CancelDeliveriesRequest['deliveries'][number];

// The client may have died before it recorded the result, and asks again within minutes.
const CANCELED_KEPT_DAYS = 1;
// For a delivery whose event is still in flight: longer than a stream keeps events.
const PREVENTED_KEPT_DAYS = 9;
// Events carry the clock of the service that published them.
const CLOCKS_DIFFER_MINUTES = 10;

/**
 * Cancels deliveries that no worker has picked up (spec 2-messages §2.3 rule 4). A claim locks the waiting rows that it
 * takes; so does this, and the first of them has the row. If the event was not ingested yet, a canceled row is put in
 * its place: the intake leaves out existing ids. The primary key makes one wait for the other's commit.
 */
@Injectable()
export class CancelDeliveries {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns ids that are canceled now, or were so already; this call will never cancel any of the others */
  execute(wanted: readonly Wanted[]): Promise<string[]> {
    const inOrder = [...wanted].sort((a, b) => (a.id < b.id ? -1 : 1));
    return this.dataSource.transaction(async (tx) => {
      const prevented = await preventIntake(tx, inOrder);
      const canceled = await cancelWaiting(
        tx,
        inOrder.map(({ id }) => id).filter((id) => !prevented.has(id)),
      );
      return [...prevented, ...canceled];
    });
  }
}

/** @returns those without a delivery, now and later */
async function preventIntake(tx: EntityManager, wanted: readonly Wanted[]): Promise<Set<string>> {
  const absent = await withoutRow(tx, wanted);
  const placed = await insertRows<Wanted, keyof typeof PLACED, { id: string }>(
    tx,
    'deliveries',
    PLACED,
    absent,
    {
      onConflict: 'do nothing',
      returning: 'id',
    },
  );
  if (placed.length === 0) return new Set();
  const ids = new Set(placed.map(({ id }) => id));
  const finished = await takenIn(
    tx,
    absent.filter(({ id }) => ids.has(id)),
  );
  if (finished.length > 0) await tx.query('delete from deliveries where id = any($1::uuid[])', [finished]);
  for (const id of finished) ids.delete(id);
  return ids;
}

const DAY_MS = 86_400_000;

const PLACED = {
  id: 'uuid',
  account_id: ['uuid', ({ account_id }: Wanted) => account_id],
  send_request_id: ['uuid', ({ send_request_id }: Wanted) => send_request_id],
  recipient: ['text', () => ''],
  destination: ['text', () => ''],
  state: ['text', () => 'canceled'],
  due_at: ['timestamptz', () => new Date(Date.now() + PREVENTED_KEPT_DAYS * DAY_MS)],
  reason: ['text', () => 'canceled before it was taken in'],
  facts: ['text', () => '{}'],
} as const;

/** Older ones are left out: it is unknown whether they were ingested, and their delivery has ended long ago. */
async function withoutRow(tx: EntityManager, wanted: readonly Wanted[]): Promise<Wanted[]> {
  const since = Date.now() - (INTAKES_KEPT_DAYS - 1) * DAY_MS;
  const young = wanted.filter(({ accepted_at }) => Date.parse(accepted_at) > since);
  const rows: { id: string }[] = await tx.query('select id from deliveries where id = any($1::uuid[])', [
    young.map(({ id }) => id),
  ]);
  const present = new Set(rows.map(({ id }) => id));
  return young.filter(({ id }) => !present.has(id));
}

/** @returns those that had a delivery: it has ended, and the event with its outcome is in flight */
async function takenIn(tx: EntityManager, absent: readonly Wanted[]): Promise<string[]> {
  const oldest = Math.min(...absent.map(({ accepted_at }) => Date.parse(accepted_at)));
  const rows: { id: string }[] = await tx.query(
    `select distinct given.id from intakes i join unnest($1::uuid[]) as given(id) on given.id = any(i.send_request_ids)
     where i.taken_at >= $2::timestamptz - make_interval(mins => $3)`,
    [
      [...new Set(absent.map(({ send_request_id }) => send_request_id))],
      new Date(oldest),
      CLOCKS_DIFFER_MINUTES,
    ],
  );
  const requests = new Set(rows.map(({ id }) => id));
  return absent.filter(({ send_request_id }) => requests.has(send_request_id)).map(({ id }) => id);
}

async function cancelWaiting(tx: EntityManager, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  // waits for a running claim, in one order, so that two cancels do not wait for each other
  const rows: { id: string; state: string; attempts: number }[] = await tx.query(
    'select id, state, attempts from deliveries where id = any($1::uuid[]) order by id for update',
    [ids],
  );
  const waiting = rows.filter(
    ({ state, attempts }) => attempts === 0 && ['ready', 'waiting', 'suspended'].includes(state),
  );
  if (waiting.length > 0) {
    await tx.query(
      `update deliveries set state = 'canceled', due_at = now() + make_interval(days => $2), suspended_until = null,
         reason = 'canceled before its first attempt'
       where id = any($1::uuid[])`,
      [waiting.map(({ id }) => id), CANCELED_KEPT_DAYS],
    );
  }
  const before = rows.filter(({ state }) => state === 'canceled');
  return [...waiting, ...before].map(({ id }) => id);
}
