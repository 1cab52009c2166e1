import { createLogger } from '@postmesh/observability';
import { afterEach, expect, it, vi } from 'vitest';
import { BatchedLookups } from './batched-lookups.js';
import { CacheLease } from './cache-lease.js';
import { LeasedCache, momentNow, type Found } from './leased-cache.js';

afterEach(() => vi.useRealTimers());

interface Key {
  id: string;
  accountId: string;
}
const cacheOf = () =>
  new LeasedCache<string, Key>({
    max: 10,
    lookups: new BatchedLookups<string, Found<Key>>({
      ask: async (ids) => ids.map((id) => ({ revision: 1, value: { id, accountId: 'ann' } })),
      maxPerBatch: 10,
      what: 'keys',
    }),
    namesOf: (key) => key,
  });
const lease = { revision: 1, reset: false, key_ids: [], account_ids: [], lease_ms: 5_000 };

it('serves nothing after the machine slept through the end of the lease', async () => {
  const cache = cacheOf();
  cache.apply(lease, momentNow());
  await cache.lookUp('one', 'one');
  expect(cache.known('one')).toBeDefined();
  // after a suspend of the machine: the monotonic clock did not advance
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  expect(cache.known('one')).toBeUndefined();
});

it('gets no lease from a response that arrived after a sleep', () => {
  const cache = cacheOf();
  const asked = momentNow();
  cache.apply(lease, { ...asked, wall: asked.wall - 60_000 });
  expect(cache.known('one')).toBeUndefined();
});

it('does not live longer when the time of day is set back', async () => {
  const cache = cacheOf();
  const asked = momentNow();
  cache.apply(lease, { monotonic: asked.monotonic - 5_000, wall: asked.wall + 3_600_000 });
  await cache.lookUp('one', 'one');
  expect(cache.known('one')).toBeUndefined();
});

it('ends with the requests, and the first one after hours looks its key up and brings a lease again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  const [keys, sessions, credentials] = [cacheOf(), cacheOf(), cacheOf()];
  const asked: number[] = [];
  // the service holds the response for a second
  const request = async () => {
    asked.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return lease;
  };
  const logger = createLogger({ logLevel: 'silent' }, 'test');
  const parts = [{ request }, { keys }, { keys: sessions }, { keys: cacheOf() }, { credentials }, logger];
  const keeper = new CacheLease(...(parts as unknown as ConstructorParameters<typeof CacheLease>));
  keeper.onApplicationBootstrap();
  await vi.advanceTimersByTimeAsync(5_000);
  await keys.lookUp('one', 'one');
  expect(keys.known('one')).toBeDefined();
  const busy = asked.length;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(asked.length - busy).toBeLessThanOrEqual(31);
  const idle = asked.length;
  expect(keys.known('one')).toBeUndefined();
  await keys.lookUp('one', 'one');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.length).toBeGreaterThan(idle);
  expect(keys.known('one')).toBeDefined();
  const stopped = keeper.onModuleDestroy();
  await vi.advanceTimersByTimeAsync(2_000);
  await stopped;
});
