import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from '@postmesh/contracts';
import { DeliveryLoop } from '../attempt/delivery-loop.js';
import { unsent } from '../record/attempt-record.rules.js';
import { AttemptRecorder } from '../record/attempt-recorder.js';
import { freshWorlds } from '../testing/fresh-world.js';
import { headerOf } from '../testing/mail-host.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';
import { WorkerLease } from './worker-lease.js';

const world = freshWorlds();

afterEach(() => {
  vi.useRealTimers();
});

const later = new Date(Date.now() + 3_600_000);

/** A message in the hands of a worker that is never heard of again. */
async function leaveToDead(worker: WorkerUnderTest, silentSeconds: number, leaseSeconds: number) {
  const event = await worker.message({ firstAttempt: later });
  await worker.bus.publish([event]);
  await expect.poll(() => worker.deliveries()).toHaveLength(1);
  const dead = newId();
  await worker.database.query(
    `insert into workers values ($1, now() - interval '1 hour', now() - make_interval(secs => $2))`,
    [dead, silentSeconds],
  );
  await worker.database.query(
    `update deliveries set state = 'leased', lease_owner = $1, lease_token = 7, attempt = 1, first_attempt_at = now(),
       due_at = now(), lease_until = now() + make_interval(secs => $2)`,
    [dead, leaseSeconds],
  );
  return { id: event.data.send_request_id, dead };
}

async function freeNow(worker: WorkerUnderTest): Promise<number> {
  const freed = await worker.service.get(WorkerLease).freeAbandoned();
  worker.service.get(DeliveryLoop).wake();
  return freed;
}

describe('what a worker left behind', () => {
  it.each([
    ['died', 11, 900],
    ['lost its lease', 0, -1],
  ])(
    'when it %s goes out again under the same Message-ID; its attempt is an unknown one',
    async (_, silent, lease) => {
      const { host, start } = await world();
      const worker = await start();
      const { id } = await leaveToDead(worker, silent, lease);
      await freeNow(worker);
      const told = await worker.outcome(id, 'delivered');
      expect(told).toMatchObject({ attempt: 2 });
      expect(headerOf(host.messages[0]!, 'Message-ID')).toBe(`<${id}@shop.test>`);
      const rows = await worker.database.query(
        'select attempt, outcome, uncertain from attempts where delivery_id = $1 order by attempt',
        [id],
      );
      expect(rows).toEqual([
        { attempt: 1, outcome: 'unknown', uncertain: true },
        { attempt: 2, outcome: 'delivered', uncertain: false },
      ]);
    },
  );

  it('is found without a word, within seconds', async () => {
    const { start } = await world();
    const worker = await start();
    const { id } = await leaveToDead(worker, 11, 900);
    expect(await worker.outcome(id, 'delivered')).toMatchObject({ attempt: 2 });
  });

  it('stays its own while it lives', async () => {
    const { host, start } = await world();
    const worker = await start();
    await leaveToDead(worker, 1, 900);
    expect(await freeNow(worker)).toBe(0);
    expect(await worker.deliveries()).toMatchObject([{ state: 'leased' }]);
    expect(host.messages).toEqual([]);
  });

  it('is not taken from workers that could not be heard because the database was away', async () => {
    const { start } = await world();
    const worker = await start();
    await leaveToDead(worker, 11, 900);
    vi.useFakeTimers({ toFake: ['performance'] });
    const lease = new WorkerLease(worker.database);
    await lease.heartbeat();
    vi.advanceTimersByTime(6_000);
    await lease.heartbeat();
    // one of the worker under test may come first, so only what this one does counts
    const freed = vi.spyOn(lease, 'freeAbandoned');
    for (let beat = 0; beat < 2; beat++) {
      vi.advanceTimersByTime(4_000);
      await lease.heartbeat();
      await lease.freeAbandoned();
    }
    const results = await Promise.all(freed.mock.results.map(({ value }) => value as Promise<number>));
    expect(results).toEqual([0, 0]);
  });
});

describe('a worker that was overtaken', () => {
  it('writes nothing when its answer comes, though it comes from a server', async () => {
    const { host, start } = await world();
    const [slow, other] = [await start(), await start()];
    let reply: (() => void) | undefined;
    host.manners = {
      accept: () =>
        host.messages.length > 1
          ? undefined
          : new Promise((resolve) => (reply = () => resolve('250 2.0.0 the first one'))),
    };
    const [id] = await slow.accept();
    await host.waitFor(1);
    const [delivery] = await slow.deliveries();
    const isSlow = slow.service.get(WorkerLease).id === delivery?.lease_owner;
    const [overtaken, overtaker] = isSlow ? [slow, other] : [other, slow];
    await overtaker.database.query(`update deliveries set lease_until = now() - interval '1 second'`);
    await freeNow(overtaker);
    await host.waitFor(2);
    await overtaker.outcome(id!, 'delivered');
    reply?.();
    await overtaken.stop();
    const rows = await overtaker.database.query(
      'select attempt, outcome, response from attempts where delivery_id = $1 order by attempt',
      [id],
    );
    expect(rows).toMatchObject([
      { attempt: 1, outcome: 'unknown' },
      { attempt: 2, outcome: 'delivered', response: 'queued as 7F1' },
    ]);
    expect(overtaker.told.filter(({ message_id }) => message_id === id)).toHaveLength(1);
    expect(await overtaker.deliveries()).toEqual([]);
  });

  it.each([
    ['ended', null],
    ['put off', new Date(Date.now() + 1_000)],
  ])('cannot write what it %s', async (_, nextAttemptAt) => {
    const { start } = await world();
    const worker = await start();
    const event = await worker.message({ firstAttempt: later });
    await worker.bus.publish([event]);
    await expect.poll(() => worker.deliveries()).toHaveLength(1);
    const { id: own } = worker.service.get(WorkerLease);
    await worker.database.query(
      `update deliveries set state = 'leased', lease_owner = $1, lease_token = 4, attempt = 1, first_attempt_at = now(),
         lease_until = now() + interval '15 minutes'`,
      [own],
    );
    const [claimed] = await worker.database.query(
      'select * from deliveries join messages using (send_request_id)',
    );
    await worker.database.query('update deliveries set lease_token = lease_token + 1');
    const recorder = worker.service.get(AttemptRecorder);
    const outcome = nextAttemptAt === null ? 'delivered' : 'deferred';
    const ended = { outcome, nextAttemptAt, classification: null } as const;
    expect(await recorder.record(unsent(claimed, ended))).toBe(false);
    expect(await worker.deliveries()).toMatchObject([{ state: 'leased', lease_owner: own }]);
    expect(await worker.database.query('select from attempts')).toEqual([]);
    expect(await worker.database.query('select from outbox')).toEqual([]);
    expect(await recorder.record(unsent({ ...claimed, lease_token: '5' }, ended))).toBe(true);
  });
});
