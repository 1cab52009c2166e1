import { newId } from '@postmesh/contracts';
import { createLogger } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import { CuttableProxy, freePort, realPart } from '@postmesh/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { InProcessBuckets, type Buckets } from './buckets.js';
import { RedisBuckets } from './redis.buckets.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');
const redisUrl = realPart('REDIS_URL', loadSettings().redisUrl);

const drivers: [string, () => Buckets][] = [['in process', () => new InProcessBuckets()]];
if (redisUrl) drivers.push(['over Redis', () => new RedisBuckets(redisUrl, logger)]);

/** TCP would need a quarter of an hour */
const LOST_MS = 60_000;

// a second between two: a busy machine does not refill them by its slowness
const slow = { perSecond: 1, burst: 5 };

async function waits(buckets: Buckets, name: string, requests: number): Promise<number[]> {
  return Promise.all(Array.from({ length: requests }, () => buckets.take(name, slow)));
}

describe.each(drivers)('§5 buckets %s', (_driver, make) => {
  const buckets = make();
  afterAll(() => buckets.close());

  it('let a burst pass and say how long to wait for the next', async () => {
    const name = newId();
    if (buckets instanceof RedisBuckets) await buckets.connected(5_000);
    const given = await waits(buckets, name, 6);
    expect(given.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(given[5]).toBeGreaterThan(0);
    expect(given[5]).toBeLessThanOrEqual(1);
  });

  it('refill continuously', async () => {
    const name = newId();
    const [wait] = (await waits(buckets, name, 6)).slice(-1);
    const begun = performance.now();
    await expect.poll(() => buckets.take(name, slow)).toBe(0);
    expect(performance.now() - begun).toBeGreaterThan(wait! * 900);
    expect(await buckets.take(name, slow)).toBeGreaterThan(0);
  });

  it('are independent', async () => {
    await waits(buckets, 'one', 6);
    expect(await buckets.take(newId(), slow)).toBe(0);
  });
});

describe.runIf(redisUrl)('over Redis', () => {
  it('§5.1 two gateways share the buckets of an account', async () => {
    const [one, other] = [new RedisBuckets(redisUrl ?? '', logger), new RedisBuckets(redisUrl ?? '', logger)];
    await Promise.all([one.connected(5_000), other.connected(5_000)]);
    const name = newId();
    const given = (await Promise.all([waits(one, name, 5), waits(other, name, 5)])).flat();
    expect(given.filter((wait) => wait === 0)).toHaveLength(5);
    await Promise.all([one.close(), other.close()]);
  });

  it('are shared again after the connection was lost without a word', async () => {
    const proxy = await CuttableProxy.start(redisUrl ?? '');
    const [one, other] = [new RedisBuckets(proxy.url, logger), new RedisBuckets(redisUrl ?? '', logger)];
    await Promise.all([one.connected(5_000), other.connected(5_000)]);
    proxy.swallow();
    await proxy.mend();
    const isShared = async () => {
      const name = newId();
      await waits(other, name, 5);
      return (await one.take(name, slow)) > 0;
    };
    expect(await isShared()).toBe(false);
    await expect.poll(isShared, { timeout: LOST_MS }).toBe(true);
    await Promise.all([one.close(), other.close()]);
    await proxy.cut();
  });
});

it('without a response of Redis a gateway limits rates alone', async () => {
  const buckets = new RedisBuckets(`redis://127.0.0.1:${await freePort()}`, logger);
  const given = await waits(buckets, 'name', 6);
  expect(given.filter((wait) => wait === 0)).toHaveLength(5);
  await buckets.close();
});

describe('buckets in process are bounded', () => {
  it('full ones go first, then the oldest', () => {
    let now = 0;
    const buckets = new InProcessBuckets(10, () => now);
    for (let at = 0; at < 9; at += 1) buckets.take(`used ${at}`, { perSecond: 0.001, burst: 2 });
    buckets.take('rested', slow);
    now = 60_000;
    buckets.take('new', slow);
    expect(buckets.size).toBe(10);
    buckets.take('newer', slow);
    expect(buckets.size).toBe(10);
    // the first one was forgotten, so it is full again
    expect([0, 1, 2].map(() => buckets.take('used 0', { perSecond: 0.001, burst: 2 }) === 0)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
