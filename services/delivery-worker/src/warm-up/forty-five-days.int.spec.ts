import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabaseWithClock } from '@postmesh/testing';
import { BULK, SINGLE } from '@postmesh/work';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { houseOf } from '../testing/virtual-house.js';
import { RowsOfMail, StoppedClock, type Taken } from '../testing/virtual-mail.js';
import { VirtualQueue } from '../testing/virtual-queue.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { BudgetRows } from './budget-rows.js';
import { budgetOf } from './warm-up.rules.js';
import { scheduleOf } from './warm-up.table.js';

/**
 * A new address, from its first message to 100,000 a day within 45 days, at four houses of local-internet. Messages are
 * not scaled: each is a row that is claimed, takes its place in the budget, and is ended, by the statements of a worker.
 * Time is virtual, and houses and connections have no network: their rules and the learnt limits are the real ones. As
 * providers do, a house takes more in a minute from an address that it knows: two fifths of the most that it has taken on
 * any day, or what its script says.
 */
const DAYS = 45;
const [DAY, HOUR] = [86_400_000, 3_600_000];
const BEGIN = Date.UTC(2026, 0, 5);
const MOST = 100_000;
/** The mail of a day grows by this: 100 on the first, 100,000 on the last one. */
const GROWTH = (MOST / 100) ** (1 / (DAYS - 1));
/** The part of campaigns in the mail of a day; the rest are single messages, spread over the day. */
const BULK_PART = 0.8;
const MINUTE_PART = 0.4;

const database = testDatabaseWithClock();
let worker: WorkerUnderTest;
let clock: StoppedClock;

beforeAll(async () => {
  worker = await startWorker({ databaseUrl: database.url, port: 1 });
  await worker.service.get(DeliveryQueue).queue.stop();
  clock = await StoppedClock.start(database.url, BEGIN);
  await worker.database.query(
    `insert into egress_sources (id, pool, address, ehlo, origin, warm_up)
     values ('new', 'default', '192.0.2.1', 'new.service.test', 'operator', true)`,
  );
});
afterAll(async () => {
  await worker?.stop();
  await clock?.stop();
});

interface Day {
  /** messages that the provider took, by the hour whose budget they used */
  readonly hours: Map<string, number>;
  /** of the stage on that day */
  readonly budget: { day: number; hour: number } | undefined;
}

async function warmUp(
  house: string,
  groupKey: string,
  { share, messageMs }: { share: number; messageMs: number },
) {
  const all: Taken[] = [];
  const mail = new RowsOfMail(worker, clock, { source: 'new', groupKey, begin: BEGIN }, (one) =>
    all.push(one),
  );
  let mostOfADay = 0;
  const queue = new VirtualQueue(await houseOf(house, () => mostOfADay * MINUTE_PART), groupKey, messageMs, {
    ...{ mail, source: 'new', begin: BEGIN },
  });
  const days: Day[] = [];
  let [accepted, before] = [0, 0];
  // the mail of the last day has until the next one
  for (let nth = 0; nth <= DAYS; nth++) {
    const day = BEGIN + nth * DAY;
    if (nth < DAYS) {
      const messages = Math.round(Math.min(MOST, 100 * GROWTH ** nth) * share);
      const bulk = Math.round(messages * BULK_PART);
      accepted += messages;
      // campaigns in the morning, and every third one so late that it is not sent on its day
      await mail.accept(bulk, { at: day + (nth % 3 === 2 ? 20 : 9) * HOUR, lane: BULK });
      await mail.accept(messages - bulk, { at: day, withinMs: DAY, lane: SINGLE });
    }
    await queue.run(() => false, day + DAY);
    await mail.written(day + DAY - 1);
    mostOfADay = Math.max(mostOfADay, all.length - before);
    before = all.length;
    await clock.vacuum();
    const [row] = await worker.service.get(BudgetRows).ofProvider(groupKey);
    days.push({ hours: new Map(), budget: budgetOf(scheduleOf(groupKey), row?.stage ?? 0) });
  }
  await mail.stop();
  for (const { hour } of all) {
    const hours = days[Math.floor((Date.parse(hour) - BEGIN) / DAY)]?.hours;
    hours?.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  return { all, days, accepted, putOff: mail.putOff };
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0);

describe('45 days of a new address', () => {
  it.each([
    ['googleish', 'p:google', { share: 0.4, messageMs: 200 }],
    ['outlookish', 'p:outlook', { share: 0.25, messageMs: 200 }],
    ['yahooish', 'p:yahoo', { share: 0.25, messageMs: 200 }],
    ['limited', 'm:0123456789abcdef', { share: 0.1, messageMs: 400 }],
  ] as const)(
    '%s: nothing above the budget, nothing twice, everything in time',
    async (house, groupKey, given) => {
      const { all, days, accepted, putOff } = await warmUp(house, groupKey, given);
      const above = days.flatMap(({ hours, budget }, nth) => {
        if (budget === undefined) return [];
        const isDayAbove = sum(hours.values()) > budget.day;
        const isHourAbove = Math.max(0, ...hours.values()) > budget.hour;
        return isDayAbove || isHourAbove ? [`day ${nth}`] : [];
      });
      expect(above).toEqual([]);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      expect(all).toHaveLength(accepted);
      const late = all.filter(({ acceptedAt, takenAt }) => !(takenAt - acceptedAt < DAY));
      expect(late.length, `the first of them ${JSON.stringify(late[0])}`).toBe(0);
      // the budget was what bound
      expect(putOff).toBeGreaterThan(0);
    },
    1_800_000,
  );
});
