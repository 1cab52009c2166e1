import { createLogger } from '@postmesh/observability';
import { describe, expect, it } from 'vitest';
import { InProcessBuckets } from './buckets.js';
import { ElsewhereBuckets, type TakeTokens } from './elsewhere.buckets.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');
const slow = { perSecond: 0.001, burst: 5 };

describe('§5 buckets that another process keeps', () => {
  const kept = () => {
    const buckets = new InProcessBuckets();
    const groups: number[] = [];
    const takeTokens: TakeTokens = async (requests) => {
      groups.push(requests.length);
      return requests.map(({ name, limit }) => buckets.take(name, limit));
    };
    return { groups, takeTokens };
  };
  const take = (buckets: ElsewhereBuckets, count: number) =>
    Promise.all(Array.from({ length: count }, () => buckets.take('one', slow)));
  const passed = (waits: readonly number[]) => waits.filter((wait) => wait === 0).length;

  it('are shared by two gateways, and what is asked in one turn is asked together', async () => {
    const { groups, takeTokens } = kept();
    const [one, other] = [new ElsewhereBuckets(takeTokens, logger), new ElsewhereBuckets(takeTokens, logger)];
    const waits = await Promise.all([take(one, 4), take(other, 4)]);
    expect(passed(waits.flat())).toBe(5);
    expect(groups).toEqual([4, 4]);
  });

  it.each<[string, TakeTokens]>([
    ['no answer', () => new Promise(() => undefined)],
    ['a failure', () => Promise.reject(new Error('gone'))],
  ])('with %s in time a gateway counts for itself', async (_case, takeTokens) => {
    expect(passed(await take(new ElsewhereBuckets(takeTokens, logger), 8))).toBe(5);
  });
});
