import { expect, it } from 'vitest';
import { freshWorlds } from '../testing/fresh-world.js';
import { NameServer } from '../testing/name-server.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';
import { DeliveryQueue } from './delivery-queue.js';

// proven again: a group that is not claimed, and windows moved in the rows

const world = freshWorlds();

/** A worker whose name server does not answer: no group becomes known, so no delivery is claimed for its group. */
async function withoutGroups() {
  const { start, closing, host } = await world();
  const dns = await NameServer.start(() => 'silence');
  closing.push(() => dns.stop());
  return { worker: await start({ dns }), host };
}

/** Makes waiting rows older by `time`, plus the second that they have beyond their end. */
async function goBack(worker: WorkerUnderTest, time: string): Promise<void> {
  await expect.poll(() => worker.deliveries()).toMatchObject([{ state: 'ready' }]);
  await worker.database.query(
    `update deliveries set due_at = due_at - back, ends_at = ends_at - back, expires = expires - back
     from (select $1::interval + interval '1 second' as back) as moved`,
    [time],
  );
  worker.service.get(DeliveryQueue).queue.wake();
}

it('spec 2-messages §8 rule 3 what expires while its group is not claimed fails without an attempt', async () => {
  const { worker, host } = await withoutGroups();
  const [id] = await worker.accept({ expires: new Date(Date.now() + 3_600_000) });
  await goBack(worker, '1 hour');
  expect(await worker.outcome(id!, 'failed')).toMatchObject({
    attempt: 0,
    classification: 'MessageExpired',
    give_up: 'expires',
  });
  expect(await worker.deliveries()).toEqual([]);
  expect(host.messages).toEqual([]);
});

it('its window runs from its due time where nothing is tried', async () => {
  const { worker } = await withoutGroups();
  const [id] = await worker.accept();
  await goBack(worker, '1 day');
  expect(await worker.outcome(id!, 'failed')).toMatchObject({ attempt: 0, give_up: 'window' });
});
