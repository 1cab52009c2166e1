import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabaseWithClock } from '@postmesh/testing';
import { SINGLE } from '@postmesh/work';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { houseOf } from '../testing/virtual-house.js';
import { RowsOfMail, StoppedClock } from '../testing/virtual-mail.js';
import { VirtualQueue } from '../testing/virtual-queue.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { endOf, sentUntilDone } from './forecast.rules.js';

const BEGIN = Date.UTC(2026, 0, 5, 8);
const database = testDatabaseWithClock();
let worker: WorkerUnderTest;
let clock: StoppedClock;

beforeAll(async () => {
  worker = await startWorker({ databaseUrl: database.url, port: 1 });
  await worker.service.get(DeliveryQueue).queue.stop();
  clock = await StoppedClock.start(database.url, BEGIN);
});
afterAll(async () => {
  await worker?.stop();
  await clock?.stop();
});

describe('the mail of one account among that of others, in virtual time', () => {
  const groupKey = 'm:0123456789abcdef';
  it.each([
    ['fewer messages than the others', 300, [2_000, 150]],
    ['more messages than the others', 1_500, [600]],
    ['as many as each of many', 100, [100, 100, 100, 100, 100]],
  ])('%s: is sent when the forecast says, within a tenth', async (_, own, others) => {
    await worker.database.query(`truncate deliveries`);
    const [accountId, left] = [newId(), { own }];
    const mail = new RowsOfMail(worker, clock, { source: 'only', groupKey, begin: BEGIN }, (one) => {
      if (one.accountId === accountId) left.own--;
    });
    const house = await houseOf('tls-good');
    const queue = new VirtualQueue(house, groupKey, 400, { mail, source: 'only', begin: BEGIN });
    await mail.accept(own, { at: BEGIN, lane: SINGLE, accountId });
    for (const count of others) await mail.accept(count, { at: BEGIN, lane: SINGLE, accountId: newId() });
    const { emptyAt } = endOf({ due: sentUntilDone(own, others), later: [] }, [queue.source], BEGIN);
    await queue.run(() => left.own === 0, BEGIN + 86_400_000);
    await mail.written(queue.now);
    await mail.stop();
    const [foreseen, took] = [(emptyAt ?? 0) - BEGIN, queue.now - BEGIN];
    expect(Math.abs(foreseen - took) / took, `${foreseen} foreseen, ${took} taken`).toBeLessThan(0.1);
  });
});
