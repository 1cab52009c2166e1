import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type Attempted, type WorkerUnderTest } from '../testing/worker-under-test.js';

// proven again: the whole schedule of a day, by due times in the rows

// the schedule of the default settings
const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});
afterEach(() => {
  host.manners = {};
  host.messages.length = 0;
});

const later = () => {
  host.manners = { accept: () => '451 4.3.0 later' };
};
const attemptsOf = (id: string) => worker.published.filter((one) => one.message_id === id);
const attempt = (id: string, nth: number) =>
  worker.until(() => attemptsOf(id).find((one) => one.attempt === nth));
const waitOf = ({ next_attempt_at, finished_at }: Attempted) =>
  (Date.parse(next_attempt_at ?? '') - Date.parse(finished_at)) / 1_000;

const [MINUTE, HOUR] = [60, 3_600];
const WAITS = [5 * MINUTE, 15 * MINUTE, 40 * MINUTE, 2 * HOUR, 4 * HOUR, 6 * HOUR, 10 * HOUR];

describe('spec 2-messages §14 rule 5 the schedule of retries', () => {
  it('spec 2-messages §14 rule 5 has seven retries with growing waits, and the eighth failure is the end', async () => {
    later();
    const [id] = await worker.accept();
    for (const [nth, seconds] of WAITS.entries()) {
      const published = await attempt(id!, nth + 1);
      expect(published).toMatchObject({ outcome: 'deferred', give_up: null });
      expect(waitOf(published)).toBeGreaterThanOrEqual(seconds * 0.9 - 1);
      expect(waitOf(published)).toBeLessThanOrEqual(seconds * 1.1 + 1);
      await worker.makeDue();
    }
    expect(await attempt(id!, 8)).toMatchObject({
      ...{ outcome: 'failed', give_up: 'attempts', classification: 'MessageExpired', next_attempt_at: null },
      reply: { smtp_code: 451 },
    });
    expect(host.messages).toHaveLength(8);
    expect(await worker.deliveries()).toEqual([]);
  });

  it('begins and continues by the clock of the database, with any clocks of our machines', async () => {
    later();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR * 1_000 });
    try {
      // accepted on a machine whose clock is ahead as well
      const [id] = await worker.accept();
      await attempt(id!, 1);
      const [row] = await worker.database.query(
        'select extract(epoch from due_at - now())::float8 as wait from deliveries where id = $1',
        [id],
      );
      expect(row.wait).toBeLessThanOrEqual(5.5 * MINUTE);
    } finally {
      vi.useRealTimers();
      await worker.database.query('delete from deliveries');
    }
  });

  it('spec 2-messages §14 rule 5 makes no retry behind the end of 24 hours: it fails at once', async () => {
    later();
    const [id] = await worker.accept();
    await attempt(id!, 1);
    await worker.database.query(
      `update deliveries set first_attempt_at = now() - interval '23 hours 50 minutes'`,
    );
    await worker.makeDue();
    expect(await attempt(id!, 2)).toMatchObject({
      ...{ outcome: 'failed', give_up: 'window', classification: 'MessageExpired', next_attempt_at: null },
    });
    expect(host.messages).toHaveLength(2);
  });

  it('spec 2-messages §14 rule 5 makes no retry behind expires: it fails at once', async () => {
    later();
    const [id] = await worker.accept({ expires: new Date(Date.now() + 200_000) });
    expect(await attempt(id!, 1)).toMatchObject({ outcome: 'failed', give_up: 'expires' });
    expect(await worker.deliveries()).toEqual([]);
  });

  it('spec 2-messages §14 rule 5 what expires says ends a message that would have been delivered a moment later', async () => {
    later();
    const [id] = await worker.accept({ expires: new Date(Date.now() + HOUR * 1_000) });
    await attempt(id!, 1);
    host.manners = {};
    await worker.database.query(`update deliveries set expires = now() - interval '1 second'`);
    await worker.makeDue();
    // the customer reads the decision, not the reply before it
    expect(await worker.outcome(id!, 'failed')).toMatchObject({
      ...{ attempt: 1, give_up: 'expires', classification: 'MessageExpired', reply: null },
    });
    expect(host.messages).toHaveLength(1);
  });
});
