import { afterEach, expect, it, vi } from 'vitest';
import { BatchedLookups } from './batched-lookups.js';
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
