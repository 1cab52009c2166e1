import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabaseWithClock } from '@postmesh/testing';
import { BULK, SINGLE } from '@postmesh/work';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { houseOf } from '../testing/virtual-house.js';
import { RowsOfMail, StoppedClock } from '../testing/virtual-mail.js';
import { VirtualQueue } from '../testing/virtual-queue.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { BudgetRows } from '../warm-up/budget-rows.js';
import { budgetAhead } from './explain-group.js';
import { endOf } from './forecast.rules.js';

const database = testDatabaseWithClock();
let worker: WorkerUnderTest;
let clock: StoppedClock;

beforeAll(async () => {
  worker = await startWorker({ databaseUrl: database.url, port: 1 });
  await worker.service.get(DeliveryQueue).queue.stop();
  clock = await StoppedClock.start(database.url, Date.UTC(2026, 0, 5));
});
afterAll(async () => {
  await worker?.stop();
  await clock?.stop();
});

const MIXED = { lane: SINGLE, more: 40 };

describe('the queue of a new address, in virtual time', () => {
  const groupKey = 'p:google';
  it.each([
    ['single messages', '10:20', { messages: 60, lane: SINGLE }],
    ['bulk', '10:20', { messages: 40, lane: BULK }],
    ['both', '10:00', { messages: 30, ...MIXED }],
    ['more than a day takes', '18:00', { messages: 100, lane: SINGLE }],
    ['bulk over two days', '16:00', { messages: 150, lane: BULK }],
  ])('%s from %s on: is empty when the forecast says, within a tenth', async (_, from, given) => {
    const begin = Date.parse(`2026-01-05T${from}:00Z`);
    const { messages, lane, more = 0 } = { more: 0, ...given };
    await worker.database.query(`truncate deliveries`);
    await worker.database.query(`delete from egress_sources`);
    await worker.database.query(
      `insert into egress_sources (id, pool, address, ehlo, origin, warm_up)
       values ('new', 'default', '192.0.2.1', 'new.service.test', 'operator', true)`,
    );
    const mail = new RowsOfMail(worker, clock, { source: 'new', groupKey, begin });
    const queue = new VirtualQueue(await houseOf('googleish'), groupKey, 200, { mail, source: 'new', begin });
    await mail.accept(messages, { at: begin, lane });
    if (more > 0) await mail.accept(more, { at: begin, lane: BULK });
    const all = messages + more;
    const singles = lane === SINGLE ? messages : 0;
    const [row] = await worker.service.get(BudgetRows).ofProvider(groupKey);
    const source = { ...queue.source, budget: budgetAhead(groupKey, row) };
    const { emptyAt } = endOf({ due: all, singles, later: [] }, [source], begin);
    let midnight = Date.UTC(2026, 0, 6);
    for (; queue.delivered < all; midnight += 86_400_000) {
      await queue.run(() => queue.delivered === all, midnight);
      await mail.written(queue.now);
    }
    await mail.stop();
    const [foreseen, took] = [(emptyAt ?? 0) - begin, queue.now - begin];
    expect(Math.abs(foreseen - took) / took, `${foreseen} foreseen, ${took} taken`).toBeLessThan(0.1);
  });
});
