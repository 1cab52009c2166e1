import { Pepper } from '@postmesh/secrets';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEASE_MS, type DoubleKey } from '../testing/accounts-double.js';
import { OLDER_KEY, startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
let gateway: TestGateway;
let other: { url: string };

/** offset of the clock of leases in gateways and in the accounts service */
let aheadMs = 0;

beforeAll(async () => {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  gateway = await startGateway(database.url, 'in process');
  other = await gateway.startAnother();
  await leased();
});
afterAll(async () => {
  await gateway.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});
beforeEach(() => {
  gateway.accounts.away = false;
});

const leased = () => vi.waitFor(() => expect(gateway.accounts.leaseCount()).toBe(2), 10_000);
/** Ends all present leases. */
const passLease = () => {
  aheadMs += LEASE_MS;
};

async function ping(url: string, { secret }: Pick<DoubleKey, 'secret'>): Promise<number> {
  const response = await request(`${url}/v2/ping`, { headers: { authorization: `Bearer ${secret}` } });
  await response.body.dump();
  return response.statusCode;
}

describe('a key', () => {
  it('is looked up once, then served from memory', async () => {
    const key = gateway.accounts.addKey();
    const before = gateway.accounts.lookups;
    for (let at = 0; at < 20; at += 1) expect(await ping(gateway.url, key)).toBe(200);
    expect(gateway.accounts.lookups - before).toBe(1);
  });

  it('is looked up once for many requests at the same moment', async () => {
    const key = gateway.accounts.addKey();
    const before = gateway.accounts.lookups;
    const statuses = await Promise.all(Array.from({ length: 50 }, () => ping(gateway.url, key)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(gateway.accounts.lookups - before).toBeLessThan(10);
  });

  it('works at once after it was made, although it was unknown a moment ago', async () => {
    expect(await ping(gateway.url, { secret: 'pm-sk-not-yet' })).toBe(401);
    expect(await ping(gateway.url, gateway.accounts.addKey())).toBe(200);
  });

  it('§2.1.6 fails in the very next request on every gateway once it was deleted', async () => {
    for (let at = 0; at < 5; at += 1) {
      const key = gateway.accounts.addKey();
      expect([await ping(gateway.url, key), await ping(other.url, key)]).toEqual([200, 200]);
      await gateway.accounts.deleteKey(key);
      expect(await Promise.all([ping(gateway.url, key), ping(other.url, key)])).toEqual([401, 401]);
    }
  });

  it('is not remembered from a look-up that began before it was deleted', async () => {
    const key = gateway.accounts.addKey();
    let deleted: Promise<void> | undefined;
    gateway.accounts.beforeLookupAnswer = async () => {
      gateway.accounts.beforeLookupAnswer = () => Promise.resolve();
      deleted = gateway.accounts.deleteKey(key);
      await deleted;
    };
    // this request began before the deletion, so both responses are valid; the next one has only one
    await ping(gateway.url, key);
    await deleted;
    expect(await ping(gateway.url, key)).toBe(401);
  });
});

describe('without the accounts service', () => {
  it('known keys work while the lease lives, then everything is 503 until it is back', async () => {
    const key = gateway.accounts.addKey();
    expect(await ping(gateway.url, key)).toBe(200);
    gateway.accounts.away = true;
    expect(await ping(gateway.url, key)).toBe(200);
    passLease();
    expect(await ping(gateway.url, key)).toBe(503);
    gateway.accounts.away = false;
    expect(await ping(gateway.url, key)).toBe(200);
    await leased();
  });

  it('a key deleted meanwhile is dead when the lease comes back', async () => {
    const key = gateway.accounts.addKey();
    expect(await ping(gateway.url, key)).toBe(200);
    gateway.accounts.away = true;
    const deleted = gateway.accounts.deleteKey(key);
    passLease();
    await deleted;
    gateway.accounts.away = false;
    expect(await ping(gateway.url, key)).toBe(401);
    await leased();
    expect(await ping(gateway.url, key)).toBe(401);
  });
});

describe('§2.1.5 uses of a key', () => {
  it('are reported within 10 seconds, once; refused requests do not count', async () => {
    const key = gateway.accounts.addKey();
    const elsewhere = gateway.accounts.addKey({ allowList: ['192.0.2.0/24'] });
    for (let at = 0; at < 5; at += 1) await ping(gateway.url, key);
    await ping(gateway.url, elsewhere);
    const seen = () => gateway.accounts.uses.map((use) => use.key_id);
    expect(seen()).not.toContain(key.keyId);
    for (const _report of [1, 2]) {
      await vi.advanceTimersByTimeAsync(10_000);
      await expect.poll(() => seen().filter((id) => id === key.keyId)).toHaveLength(1);
    }
    expect(seen()).not.toContain(elsewhere.keyId);
  });

  it('of a key that an older secret key hashed are reported with the hash under the current one', async () => {
    const older = gateway.accounts.addKey({ secretKeys: [OLDER_KEY] });
    const current = gateway.accounts.addKey();
    for (const key of [older, current]) expect(await ping(gateway.url, key)).toBe(200);
    await vi.advanceTimersByTimeAsync(10_000);
    const useOf = (keyId: string) => gateway.accounts.uses.find((use) => use.key_id === keyId);
    const now = new Pepper(gateway.context.settings.secretKeys);
    await expect
      .poll(() => useOf(older.keyId))
      .toMatchObject({
        rehash: {
          from: new Pepper([OLDER_KEY]).hash(older.secret).toString('base64'),
          to: now.hash(older.secret).toString('base64'),
          pepper_id: now.keyId,
        },
      });
    expect(useOf(current.keyId)).not.toHaveProperty('rehash');
  });
});
