import pg from 'pg';
import type { DataSource } from 'typeorm';
import { BULK, type Ending } from '@postmesh/work';
import { DatabaseClock } from '@postmesh/database';
import { newId } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import { BudgetRows } from '../warm-up/budget-rows.js';
import { Budgets, type Place } from '../warm-up/budgets.js';
import type { VirtualMail, VirtualMessage, VirtualReply } from './virtual-queue.js';
import type { WorkerUnderTest } from './worker-under-test.js';

const LEASE_S = 86_400;
/** The most of one claim. */
const MAX_CLAIM = 200;
const MAX_ENDINGS = 200;
const ACCOUNT = newId();

/** A message that the house has taken. */
export interface Taken {
  readonly id: string;
  readonly accountId: string;
  readonly acceptedAt: number;
  readonly takenAt: number;
  /** the hour of the budget that it used */
  readonly hour: string;
}

interface Leaving extends VirtualMessage {
  readonly item: ClaimedDelivery;
  readonly place: Place & { kind: 'place' };
}

/** The time in SQL of a database with a clock: the same until it is set again. */
export class StoppedClock {
  private constructor(private readonly client: pg.Client) {}

  /** @param url of the superuser */
  static async start(url: string, at: number): Promise<StoppedClock> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const clock = new StoppedClock(client);
    await clock.set(at);
    const now = `return timestamptz 'epoch' + pg_sequence_last_value('test_clock.ahead_ms'::regclass) * interval '1 millisecond'`;
    await client.query(`set allow_system_table_mods = on;
      create or replace function pg_catalog.now() returns timestamptz language sql stable parallel safe ${now};
      create or replace function pg_catalog.clock_timestamp() returns timestamptz language sql volatile parallel safe
        ${now}`);
    return clock;
  }

  async set(at: number): Promise<void> {
    await this.client.query(`select setval('test_clock.ahead_ms', $1)`, [Math.floor(at)]);
  }

  /** Nothing cleans the tables up while the time is the same. */
  async vacuum(): Promise<void> {
    await this.client.query('vacuum (analyze) delivery_worker.deliveries');
  }

  stop(): Promise<void> {
    return this.client.end();
  }
}

/**
 * The mail of one new address to one group in virtual time: rows, claims, budgets and endings are those of a worker,
 * which is connected to a database whose clock was stopped, and whose own queue was stopped.
 */
export class RowsOfMail implements VirtualMail {
  nextAt: number;
  /** messages that were put off by the budget */
  putOff = 0;
  private readonly worker = newId();
  private readonly budgets: Budgets;
  private readonly database: DataSource;
  private readonly queue: DeliveryQueue['queue'];
  private endings: Ending<ClaimedDelivery>[] = [];
  private claims = 0;
  private time: number;

  /** @param taken is called for each message that the house took */
  constructor(
    under: WorkerUnderTest,
    private readonly clock: StoppedClock,
    private readonly from: { readonly source: string; readonly groupKey: string; readonly begin: number },
    private readonly taken: (one: Taken) => void = () => undefined,
  ) {
    this.database = under.database;
    this.queue = under.service.get(DeliveryQueue).queue;
    this.nextAt = this.time = from.begin;
    const time = { now: () => this.time } as DatabaseClock;
    this.budgets = new Budgets(under.service.get(BudgetRows), time, under.service.get<Logger>(LOGGER));
  }

  /** Messages that are due at a time, or evenly within a time, those of ten minutes together. */
  async accept(
    count: number,
    {
      at,
      withinMs = 0,
      lane = BULK,
      accountId = ACCOUNT,
    }: { at: number; withinMs?: number; lane?: number; accountId?: string },
  ): Promise<void> {
    await this.database.query(ACCEPT, [accountId, this.from.groupKey, lane, at, withinMs / count, count]);
    this.nextAt = Math.min(this.nextAt, at);
  }

  async take(now: number, most: number): Promise<VirtualMessage[]> {
    await this.settle(now);
    if (most <= 0) return [];
    const { nextMs } = await this.sweep();
    const { items } = await this.queue.rows.claim(this.claimOf(Math.min(most, MAX_CLAIM)));
    this.nextAt = items.length > 0 ? now : now + (nextMs ?? Number.POSITIVE_INFINITY);
    const { source, groupKey } = this.from;
    const places = await Promise.all(
      items.map(({ lane }) => this.budgets.take(source, groupKey, lane === BULK)),
    );
    const leaving: Leaving[] = [];
    for (const [nth, place] of places.entries()) {
      const item = items[nth];
      if (item === undefined) continue;
      if (place.kind === 'place') leaving.push({ id: item.id, item, place });
      else {
        this.putOff++;
        this.back(item, place.until, item.attempt - 1);
      }
    }
    return leaving;
  }

  ended(message: VirtualMessage, { at, retryAt, isSuspended }: VirtualReply): void {
    const { item, place } = message as Leaving;
    this.budgets.met(place.key, retryAt === undefined ? 'accepted' : 'deferred', isSuspended);
    if (retryAt !== undefined) {
      this.back(item, retryAt, item.attempt);
      this.nextAt = Math.min(this.nextAt, retryAt);
      return;
    }
    this.endings.push({ item, next: null });
    const acceptedAt = Date.parse(item.acceptedAt ?? '');
    this.taken({
      id: item.id,
      accountId: item.accountId,
      acceptedAt,
      takenAt: at,
      hour: place.grant?.hour ?? '',
    });
  }

  async putBack(messages: readonly VirtualMessage[], until: number): Promise<void> {
    for (const { item, place } of messages as readonly Leaving[]) {
      await this.budgets.giveBack(place);
      this.back(item, until, item.attempt - 1);
    }
    this.nextAt = until;
  }

  /** Writes what has ended, and the results of the budget. */
  async settle(now: number): Promise<void> {
    this.time = now;
    await this.clock.set(now);
    while (this.endings.length > 0) {
      const some = this.endings.splice(0, MAX_ENDINGS);
      const written = await this.database.transaction((tx) => this.queue.rows.settle(tx, this.worker, some));
      if (written.includes(false)) throw new Error('a lease was lost');
    }
  }

  /** As at the end of a day. */
  async written(now: number): Promise<void> {
    await this.settle(now);
    await this.budgets.written();
  }

  /** Ends the writes that are still planned. */
  stop(): Promise<void> {
    return this.budgets.onModuleDestroy();
  }

  private async sweep() {
    let swept = await this.queue.rows.sweep();
    while (swept.isCut) swept = await this.queue.rows.sweep();
    return swept;
  }

  private back(item: ClaimedDelivery, until: number, attempts: number): void {
    const next = { dueAt: new Date(until), reason: 'waits', attempts, firstAttemptAt: item.firstAttemptAt };
    this.endings.push({ item, next });
  }

  private claimOf(limit: number) {
    const { groupKey } = this.from;
    const room = { key: groupKey, room: limit * 2, isVisited: true };
    return {
      ...{ worker: this.worker, leaseSeconds: LEASE_S, mostGroups: 1 },
      bounds: {
        ...{ limit, bulkLimit: limit, groups: [room], otherGroups: 0, accounts: [] },
        ...{ otherAccounts: limit * 2, lessForBulk: 0, flows: [] },
      },
      turns: {
        ...{ afterGroup: '', lanes: this.claims++ % 9 },
        cursorOf: () => ({ single: null, bulk: null }),
      },
    };
  }
}

const ACCEPT = `
  insert into deliveries (id, account_id, send_request_id, recipient, destination, group_key, lane, state, due_at,
    ends_at, reason, facts)
  select gen_random_uuid(), $1, gen_random_uuid(), 'ann@mail.test', 'mail.test', $2, $3, 'waiting', due_at, null, '',
    json_build_object('acceptedAt', due_at)::text
  from (select to_timestamp($4::float8 / 1000) + floor(nth * $5::float8 / 600000) * interval '10 minutes' as due_at
    from generate_series(0, $6::int - 1) as nth) as accepted`;
