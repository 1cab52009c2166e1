import { OPERATIONS, type OperationSpec } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyCache, type ActiveKey } from '../api-keys/key-cache.js';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';
import { RateLimits } from './rate-limits.js';

const database = testDatabase();
let gateway: TestGateway;
let other: { url: string };

// One token a second, of a clock that tests move: a busy machine refills no bucket.
const SETTINGS = {
  rateGeneralPerSecond: 1,
  rateGeneralBurst: 5,
  rateStatisticsPerSecond: 1,
  rateStatisticsBurst: 1,
};

beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process', SETTINGS);
  other = await gateway.startAnother();
  await vi.waitFor(() => expect(gateway.accounts.leaseCount()).toBe(2), 10_000);
});
afterAll(() => gateway.stop());
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

async function ping(secret: string, url = gateway.url): Promise<number> {
  const response = await request(`${url}/v2/ping`, { headers: { authorization: `Bearer ${secret}` } });
  await response.body.dump();
  return response.statusCode;
}

const pings = async (secret: string, count: number, url = gateway.url) =>
  (await Promise.all(Array.from({ length: count }, () => ping(secret, url)))).filter(
    (status) => status === 200,
  ).length;

const general = (per_second: number, burst: number) => ({
  general: { per_second, burst },
  statistics: null,
});

describe("§5.5 an account's own limits", () => {
  it('raised: hold instead of those of the settings', async () => {
    const key = gateway.accounts.addKey({ rateLimits: general(1, 12) });
    expect(await pings(key.secret, 20)).toBe(12);
  });

  it('lowered: hold as well', async () => {
    const key = gateway.accounts.addKey({ rateLimits: general(1, 2) });
    expect(await pings(key.secret, 20)).toBe(2);
  });

  it('without a value for a rate leave it to the settings', async () => {
    for (const rateLimits of [null, { general: null, statistics: { per_second: 9, burst: 9 } }]) {
      const key = gateway.accounts.addKey({ rateLimits });
      expect(await pings(key.secret, 20)).toBe(5);
    }
  });

  it('changed: count in the next request, on every gateway', async () => {
    const key = gateway.accounts.addKey();
    expect([await pings(key.secret, 20), await pings(key.secret, 20, other.url)]).toEqual([5, 5]);
    // a bucket that is empty fills at the new rate
    await gateway.accounts.limitAccount(key.accountId, general(1_000_000, 50));
    vi.advanceTimersByTime(10);
    expect([await ping(key.secret), await ping(key.secret, other.url)]).toEqual([200, 200]);
    // one that is full is cut to the new burst
    await gateway.accounts.limitAccount(key.accountId, general(1, 1));
    expect([await pings(key.secret, 20), await pings(key.secret, 20, other.url)]).toEqual([1, 1]);
    await gateway.accounts.limitAccount(key.accountId, null);
    expect(await ping(key.secret)).toBe(429);
  });
});

describe('§5.2 statistics have a bucket of their own', () => {
  const activeKey = async (secret: string) => (await gateway.service.get(KeyCache).find(secret)) as ActiveKey;
  const take = (key: ActiveKey, rate: OperationSpec['rate']) =>
    gateway.service
      .get(RateLimits)
      .request(key, rate)
      .then(
        () => 200,
        (error: { status: number; headers: Record<string, string> }) => [error.status, error.headers],
      );

  it('the second call within the second is refused, and neither bucket takes from the other', async () => {
    const { secret } = gateway.accounts.addKey();
    const key = await activeKey(secret);
    expect(await take(key, 'statistics')).toBe(200);
    expect(await take(key, 'statistics')).toEqual([429, { 'retry-after': '1' }]);
    expect(await pings(secret, 20)).toBe(5);
    const fresh = gateway.accounts.addKey();
    expect(await pings(fresh.secret, 20)).toBe(5);
    expect(await take(await activeKey(fresh.secret), 'statistics')).toBe(200);
  });

  it('have own limits per account, too', async () => {
    const statistics = { per_second: 1, burst: 3 };
    const key = await activeKey(
      gateway.accounts.addKey({ rateLimits: { general: null, statistics } }).secret,
    );
    const given = [];
    for (let at = 0; at < 4; at += 1) given.push(await take(key, 'statistics'));
    expect(given.map((one) => (one === 200 ? 200 : 429))).toEqual([200, 200, 200, 429]);
  });

  it('three operations take from it, every other one takes general tokens', () => {
    const names = Object.entries(OPERATIONS)
      .filter(([, spec]: [string, OperationSpec]) => spec.rate === 'statistics')
      .map(([name]) => name);
    expect(names).toEqual(['statistics.deliverability', 'statistics.bounce', 'statistics.delivery-time']);
  });
});
