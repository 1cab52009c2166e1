import { describe, expect, it, vi } from 'vitest';
import { freshWorlds } from '../testing/fresh-world.js';
import type { KeyAnswer, WorkerUnderTest } from '../testing/worker-under-test.js';
import { DeliveryQueue } from './delivery-queue.js';

const world = freshWorlds();

// The grace for transactions with a server.
const GRACE_MS = 5_000;

/** Stops with a grace that is over at once. */
async function stopAtOnce({ service }: WorkerUnderTest): Promise<void> {
  const { queue } = service.get(DeliveryQueue);
  const stop = queue.stop.bind(queue);
  const begun = new Promise<void>((resolve) => {
    vi.spyOn(queue, 'stop').mockImplementation(() => {
      const stopped = stop();
      resolve();
      return stopped;
    });
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const stopped = service.stop();
  await begun;
  await vi.advanceTimersByTimeAsync(GRACE_MS + 1_000);
  vi.useRealTimers();
  await stopped;
}

describe('a stop', () => {
  it('gives back a message whose key is unavailable, as if it had not been claimed', async () => {
    const { start } = await world();
    let asked: (() => void) | undefined;
    const wasAsked = new Promise<void>((resolve) => (asked = resolve));
    const worker = await start();
    const [id] = await worker.accept({ firstAttempt: new Date(Date.now() + 3_600_000) });
    await expect.poll(() => worker.deliveries()).toHaveLength(1);
    worker.context.directory.addLocal('domains', {
      route: () => undefined,
      inject: () => {
        asked?.();
        return new Promise(() => undefined);
      },
    });
    await worker.makeDue();
    await wasAsked;
    await stopAtOnce(worker);
    const next = await start({ domains: away });
    await expect.poll(async () => (await next.deliveries())[0]?.reason).toMatch(/^domains responded 503/);
    expect(await next.deliveries()).toMatchObject([{ id, attempts: 0, first_attempt_at: null }]);
    expect([...worker.published, ...next.published]).toEqual([]);
  });

  it('of an idle worker waits for nothing', async () => {
    const { start } = await world();
    const worker = await start();
    const [id] = await worker.accept();
    await worker.outcome(id!, 'delivered');
    const begun = performance.now();
    await worker.service.stop();
    expect(performance.now() - begun).toBeLessThan(GRACE_MS);
  });
});

const away: KeyAnswer = () => ({ status: 503, body: { message: 'service temporarily unavailable' } });
