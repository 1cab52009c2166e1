import { expect, it } from 'vitest';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { CuttableProxy } from '@postmesh/testing';
import { freshWorlds } from '../testing/fresh-world.js';

const world = freshWorlds();

it('a reply that comes while the database is unavailable is recorded when it is back; nothing is sent twice', async () => {
  const { url, host, start, closing } = await world();
  const proxy = await CuttableProxy.start(url);
  closing.push(() => proxy.cut());
  const worker = await start({ settings: { deliveryWorkerDatabaseUrl: proxy.url } });
  let reply: (() => void) | undefined;
  host.manners = { accept: () => new Promise((resolve) => (reply = () => resolve('250 2.0.0 mine'))) };
  const warned: (string | undefined)[] = [];
  worker.service.get<Logger>(LOGGER).warn = ({ event }: { event?: string }) => void warned.push(event);
  const [id] = await worker.accept();
  await host.waitFor(1);
  await proxy.cut();
  reply?.();
  await expect.poll(() => warned).toContain('attempt.record_failed');
  expect(worker.published).toEqual([]);
  await proxy.mend();
  expect(await worker.outcome(id!, 'delivered')).toMatchObject({ attempt: 1, reply: { response: 'mine' } });
  host.manners = {};
  const [next] = await worker.accept();
  await worker.outcome(next!, 'delivered');
  expect(host.messages).toHaveLength(2);
  expect(await worker.deliveries()).toEqual([]);
});

it('a reply with bytes that no database takes is written down all the same', async () => {
  const { host, start } = await world();
  const worker = await start();
  host.manners = { accept: () => '250 2.0.0 \u0000\u00ff\u001b[31m queued' };
  const [id] = await worker.accept();
  const published = await worker.outcome(id!, 'delivered');
  expect(published.reply?.response).toMatch(/queued$/);
  expect(await worker.deliveries()).toEqual([]);
});
