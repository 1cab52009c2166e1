import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { freshWorlds } from '../testing/fresh-world.js';
import { DeliveryQueue } from './delivery-queue.js';

const world = freshWorlds();
const later = new Date(Date.now() + 3_600_000);

describe('a lease', () => {
  it('lasts as long as its attempt', async () => {
    const { host, start } = await world();
    const settings = { deliveryLeaseSeconds: 2 };
    const workers = [await start({ settings }), await start({ settings })] as const;
    let reply: (() => void) | undefined;
    host.manners = {
      accept: () => new Promise((resolve) => (reply = () => resolve('250 2.0.0 at last'))),
    };
    const [id] = await workers[0].accept();
    await host.waitFor(1);
    const [first] = await workers[0].deliveries();
    const isOver = async () =>
      (await workers[0].database.query('select now() > $1 as over', [first!.leased_until]))[0].over;
    await expect.poll(isOver).toBe(true);
    reply?.();
    expect(await workers[0].outcome(id!, 'delivered')).toMatchObject({ attempt: 1 });
    expect(host.messages).toHaveLength(1);
  });

  it('that was taken by a claim whose answer was lost is given back', async () => {
    const { start, url, closing } = await world();

    const worker = await start();
    const event = await worker.message({ firstAttempt: later });
    await worker.bus.publish([event]);
    await expect.poll(() => worker.deliveries()).toHaveLength(1);
    const [holder, killer] = [new pg.Client(url), new pg.Client(url)];
    closing.push(
      () => holder.end(),
      () => killer.end(),
    );
    await Promise.all([holder.connect(), killer.connect()]);
    await holder.query('begin; lock table delivery_worker.deliveries in access exclusive mode');
    worker.service.get(DeliveryQueue).queue.wake();
    // the claim waits for the table, and its connection breaks
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock' and query like '%with due as%'`;
    await expect.poll(async () => (await killer.query(cut)).rowCount).toBe(1);
    await holder.query(
      `update delivery_worker.deliveries set state = 'leased', lease_owner = $1, lease_token = 1, attempts = 1,
         first_attempt_at = now(), due_at = now(), leased_until = now() + interval '15 minutes'`,
      [worker.service.get(DeliveryQueue).queue.lease.id],
    );
    await holder.query('commit');
    const published = await worker.outcome(event.data.send_request_id, 'delivered');
    expect(published.attempt).toBe(1);
    expect(worker.published.map(({ outcome }) => outcome)).toEqual(['delivered']);
  });
});
