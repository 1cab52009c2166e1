import { expect, it } from 'vitest';
import { freshWorlds } from '../testing/fresh-world.js';

const world = freshWorlds();

it('an idle worker queries the database twice a second at most', async () => {
  const { start } = await world();
  const worker = await start();
  const [first] = await worker.accept();
  await worker.outcome(first!, 'delivered');
  await worker.accept({ firstAttempt: new Date(Date.now() + 3_600_000) });
  await expect.poll(() => worker.deliveries()).toHaveLength(1);
  const { asked, seconds } = await watchFor(3_000, worker.database);
  expect(asked).toBeLessThanOrEqual(2 * seconds + 2);
});

it('a worker whose destinations are all at their limit does not query without end', async () => {
  const { host, start } = await world();
  const settings = { deliveryConcurrency: 20, deliveryPerDestination: 1 };
  const worker = await start({ settings });
  host.manners = { accept: () => new Promise(() => undefined) };
  const messages = Array.from({ length: 300 }, () => worker.message());
  await worker.bus.publish(await Promise.all(messages));
  await host.waitFor(1);
  const { asked, seconds } = await watchFor(2_000, worker.database);
  expect(asked).toBeLessThanOrEqual(30 * seconds);
  // a stop need not wait for a server that never answers
  await host.stop();
});

/**
 * Counts the queries of the service's own pool, without those of the outbox relay.
 * @returns `seconds`: those that really passed, since a timer of a busy machine is late
 */
async function watchFor(ms: number, database: { query: (...given: never[]) => Promise<unknown> }) {
  let asked = 0;
  const ask = database.query.bind(database);
  database.query = (...given: never[]) => {
    asked += 1;
    return ask(...given);
  };
  const begun = performance.now();
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { asked, seconds: (performance.now() - begun) / 1_000 };
}
