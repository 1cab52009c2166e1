import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port, settings: { delivery: false } });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});

const at = '2026-03-01T10:00:00.000Z';
const end = (ids: readonly string[]) =>
  worker.internal('POST', '/operator/deliveries/sent', {
    deliveries: ids.map((id) => ({ id, at, remote_host: 'mx.one.test' })),
  });

describe('a worker with POSTMESH_DELIVERY=off', () => {
  it('inserts messages, shows why they wait, and ends those as delivered that a log has as sent', async () => {
    const [sent, waits] = await worker.accept({ to: ['a@one.test', 'b@one.test'] });
    await expect.poll(() => worker.deliveries()).toHaveLength(2);
    await worker.database.query(`update deliveries set group_key = 'd:one.test', state = 'ready'`);
    const read = await worker.internal('GET', `/operator/deliveries/${waits}`);
    expect(read.body).toMatchObject({
      attempts: 0,
      waiting_for: 'deliveries to be on: POSTMESH_DELIVERY is off',
    });

    expect((await end([sent!, sent!])).body).toEqual({ ended: 1 });
    expect(await worker.outcome(sent!, 'delivered')).toMatchObject({
      attempt: 1,
      started_at: at,
      finished_at: at,
      remote_host: 'mx.one.test',
      reply: { smtp_code: 250, response: 'delivered before the restore, as the log says' },
    });
    expect(await worker.deliveries()).toMatchObject([{ id: waits, attempts: 0 }]);
    expect((await end([sent!])).body).toEqual({ ended: 0 });
    expect(host.messages).toEqual([]);
  });

  it('ends deliveries that were in flight when the backup was made, and not canceled ones', async () => {
    const [first, canceled] = await worker.accept({ to: ['c@one.test', 'd@one.test'] });
    await expect.poll(() => worker.deliveries()).toHaveLength(3);
    const set = (id: string, state: string) =>
      worker.database.query(
        `update deliveries set state = $2, lease_owner = gen_random_uuid(), attempts = 1,
           leased_until = now() + interval '1 hour' where id = $1`,
        [id, state],
      );
    await set(first!, 'leased');
    await set(canceled!, 'canceled');
    expect((await end([first!, canceled!])).body).toEqual({ ended: 1 });
    expect(await worker.outcome(first!, 'delivered')).toMatchObject({ attempt: 1 });
    expect(await worker.deliveries()).toHaveLength(2);
  });

  it('is resumed by a worker with it on, which sends the rest', async () => {
    await worker.database.query(`update deliveries set state = 'waiting' where state = 'ready'`);
    await worker.stop();
    const next = await startWorker({ databaseUrl: database.url, port: host.port });
    try {
      await expect.poll(() => host.messages.length).toBe(1);
      expect(host.messages).toHaveLength(1);
    } finally {
      await next.stop();
    }
  });
});
