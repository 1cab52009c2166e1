import { setImmediate as turn } from 'node:timers/promises';
import { createLogger } from '@postmesh/observability';
import { afterEach, describe, expect, it, vi } from 'vitest';
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

  it('are shared by two gateways, and requests of one turn of the event loop go together', async () => {
    const { groups, takeTokens } = kept();
    const [one, other] = [new ElsewhereBuckets(takeTokens, logger), new ElsewhereBuckets(takeTokens, logger)];
    const waits = await Promise.all([take(one, 4), take(other, 4)]);
    expect(passed(waits.flat())).toBe(5);
    expect(groups).toEqual([4, 4]);
  });

  it.each<[string, TakeTokens]>([
    ['no answer', () => new Promise(() => undefined)],
    ['a failure', () => Promise.reject(new Error('gone'))],
  ])('with %s in time a gateway limits rates alone', async (_case, takeTokens) => {
    expect(passed(await take(new ElsewhereBuckets(takeTokens, logger), 8))).toBe(5);
  });

  describe('of a process that hangs', () => {
    afterEach(() => vi.useRealTimers());

    /** Buckets whose first request has had no response in time; each request stays open until the test responds. */
    async function hung() {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      const answers: (() => void)[] = [];
      const takeTokens: TakeTokens = (requests) =>
        new Promise((resolve) => answers.push(() => resolve(requests.map(() => 0))));
      const buckets = new ElsewhereBuckets(takeTokens, logger);
      const first = take(buckets, 1);
      await turn();
      await vi.advanceTimersByTimeAsync(2_000);
      await first;
      return { buckets, answers };
    }

    it('get no request and delay no caller until the open request has its response', async () => {
      const { buckets, answers } = await hung();
      expect(passed(await take(buckets, 8))).toBe(4);
      expect(answers).toHaveLength(1);
      answers[0]?.();
      await turn();
      const asked = take(buckets, 8);
      await turn();
      expect(answers).toHaveLength(2);
      answers[1]?.();
      expect(passed(await asked)).toBe(8);
    });

    it('get another request after 5 s, one at a time', async () => {
      const { buckets, answers } = await hung();
      await vi.advanceTimersByTimeAsync(5_000);
      const asked = take(buckets, 1);
      await turn();
      await take(buckets, 1);
      expect(answers).toHaveLength(2);
      answers[1]?.();
      expect(passed(await asked)).toBe(1);
    });
  });
});
