import { beforeEach, describe, expect, it } from 'vitest';
import { ApiErrors } from '@postmesh/contracts';
import { InProcessBuckets } from './buckets.js';
import { FailedAuthentications } from './failed-authentications.js';

let now: number;
let asked: number;
let failures: FailedAuthentications;
beforeEach(() => {
  now = 0;
  asked = 0;
  failures = new FailedAuthentications(new InProcessBuckets(100, () => now));
});

/** The status of a request with this key; `wrong` is an unknown key. */
async function attempt(clientIp: string, key: 'wrong' | 'right' = 'wrong'): Promise<number> {
  let isPaid = false;
  const ask = async () => {
    asked += 1;
    await new Promise((answered) => setImmediate(answered));
    return key === 'right';
  };
  try {
    if (await failures.lookUp(clientIp, ask, () => (isPaid = true))) return 200;
    if (!isPaid) await failures.failed(clientIp);
    throw ApiErrors.invalidKey();
  } catch (error) {
    return (error as { status: number }).status;
  }
}
const flood = (count: number, from: (nth: number) => string) =>
  Promise.all(Array.from({ length: count }, (_, nth) => attempt(from(nth))));
const countOf = (given: readonly number[], status: number) => given.filter((one) => one === status).length;

describe('§5 rule 5 failed authentication', () => {
  it('is rejected before the look-up: 2,000 guesses at once cause a hundred look-ups at most', async () => {
    const given = await flood(2_000, () => '192.0.2.1');
    expect(countOf(given, 401)).toBe(40);
    expect(countOf(given, 429)).toBe(1_960);
    expect(asked).toBeLessThanOrEqual(100);
    expect(await flood(10, () => '192.0.2.2')).toEqual(Array(10).fill(401));
  });

  it('is counted for all addresses of an IPv6 network together', async () => {
    const given = await flood(2_000, (nth) => `2001:db8:1:2::${nth.toString(16)}`);
    expect(countOf(given, 401)).toBe(40);
    expect(asked).toBeLessThanOrEqual(100);
    expect(await attempt('2001:db8:1:3::1')).toBe(401);
  });

  it('does not stop look-ups of right keys from the same peer: they wait for a token', async () => {
    await flood(200, () => '192.0.2.1');
    now += 50;
    expect(await attempt('192.0.2.1', 'right')).toBe(200);
  });

  it('lets a peer fail 20 times a second, also when it failed too often before', async () => {
    await flood(100, () => '192.0.2.1');
    now += 1_000;
    const given = [];
    for (let nth = 0; nth < 20; nth++) given.push(await attempt('192.0.2.1'));
    expect(given).toEqual(Array(20).fill(401));
  });
});
