import { describe, expect, it, vi } from 'vitest';
import { DeliveryAttempt } from '../attempt/delivery-attempt.js';
import { freshWorlds } from '../testing/fresh-world.js';
import { headerOf } from '../testing/mail-host.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';
import { DeliveryQueue } from './delivery-queue.js';

const world = freshWorlds();
const MESSAGES = 50;
const settings = { retryDelaysSeconds: ['0.1', '0.1'] };

const recipients = Array.from({ length: MESSAGES }, (_, nth) => `r${nth}@mail.test`);

async function acceptAll(worker: WorkerUnderTest): Promise<void> {
  const messages = await Promise.all(recipients.map((email) => worker.message({ to: [email] })));
  await worker.bus.publish(messages);
}

const times = <T>(items: readonly T[], of: (item: T) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1);
  return counts;
};

describe('a stop in the middle of 50 slow messages', () => {
  it('lets transactions with a server end, gives back the rest at once, loses none and sends none twice', async () => {
    const { host, start } = await world();
    const worker = await start({ settings });
    let answer: (() => void) | undefined;
    const answered = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    host.manners = { accept: () => answered };
    await acceptAll(worker);
    await host.waitFor(20);
    const { queue } = worker.service.get(DeliveryQueue);
    const stop = queue.stop.bind(queue);
    vi.spyOn(queue, 'stop').mockImplementation(() => {
      const stopped = stop();
      answer?.();
      return stopped;
    });
    await worker.service.stop();
    expect(host.messages.length).toBeLessThan(MESSAGES);

    host.manners = {};
    const next = await start({ settings });
    // no wait is needed: the returned deliveries are due
    await next.until(() => next.published.length >= MESSAGES);
    expect(next.published.every(({ outcome, attempt }) => outcome === 'delivered' && attempt === 1)).toBe(
      true,
    );
    expect(host.recipients.sort()).toEqual([...recipients].sort());
    expect(await next.deliveries()).toEqual([]);
  });

  it('ends in time although no server answers, and reports the unknown results', async () => {
    const { host, start } = await world();
    const worker = await start({ settings });
    host.manners = { accept: () => new Promise(() => undefined) };
    await acceptAll(worker);
    await host.waitFor(20);
    const attempt = worker.service.get(DeliveryAttempt);
    const stop = attempt.stop.bind(attempt);
    vi.spyOn(attempt, 'stop').mockImplementation((graceMs) => stop(graceMs / 20));
    await worker.service.stop();
    const uncertain = new Set(host.recipients);

    host.manners = {};
    const next = await start({ settings });
    await next.until(
      () =>
        next.published.filter(({ outcome }) => outcome === 'delivered').length >= MESSAGES && next.published,
    );
    for (const [recipient, count] of times(host.messages, (one) => one.recipient)) {
      expect([recipient, count]).toEqual([recipient, uncertain.has(recipient) ? 2 : 1]);
    }
    expect(times(host.messages, (one) => one.recipient).size).toBe(MESSAGES);
    for (const count of times(host.messages, (one) => headerOf(one, 'Message-ID')!).values()) {
      expect(count).toBeLessThanOrEqual(2);
    }
    const put = next.published.filter(({ outcome }) => outcome === 'deferred');
    const shown = put.map(({ recipient, uncertain, reply }) => ({ recipient, uncertain, reply }));
    expect(shown.sort((a, b) => (a.recipient < b.recipient ? -1 : 1))).toMatchObject(
      [...uncertain].sort().map((recipient) => ({ recipient, uncertain: true })),
    );
    expect(await next.deliveries()).toEqual([]);
  });
});
