import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureKind, Transient } from '@postmesh/contracts';
import { GroupCommit } from './group-commit.js';

const OPTIONS = { maxWeight: 100, flushers: 1, maxPending: 1_000 };

describe('GroupCommit', () => {
  it('commits simultaneous items in one transaction, and each gets its own result', async () => {
    const groups: number[] = [];
    const group = new GroupCommit<number, number>(async (items) => {
      groups.push(items.length);
      return items.map((item) => item * 2);
    }, OPTIONS);
    expect(await Promise.all([1, 2, 3].map((item) => group.add(item)))).toEqual([2, 4, 6]);
    expect(groups).toEqual([3]);
  });

  it('answers no caller before the commit', async () => {
    let commit: (() => void) | undefined;
    const group = new GroupCommit<number, number>(
      (items) => new Promise((resolve) => (commit = () => resolve(items))),
      OPTIONS,
    );
    let answered = false;
    const response = group.add(1).then(() => (answered = true));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(answered).toBe(false);
    commit?.();
    await response;
    expect(answered).toBe(true);
  });

  it('gathers the next group while one commits, and keeps groups within their weight', async () => {
    const groups: number[][] = [];
    const group = new GroupCommit<number, void>(
      async (items) => {
        groups.push([...items]);
        await new Promise((resolve) => setImmediate(resolve));
        return [];
      },
      { ...OPTIONS, maxWeight: 10, weightOf: (item) => item },
    );
    await Promise.all([6, 3, 3, 50, 1].map((item) => group.add(item)));
    expect(groups).toEqual([[6, 3], [3], [50], [1]]);
  });

  it('gives up what waits when its server does not answer: it is not committed later', async () => {
    const committed: number[] = [];
    let refuse = (): void => undefined;
    let commit = (): void => undefined;
    const group = new GroupCommit<number, void>(
      async (items) => {
        committed.push(...items);
        await new Promise<void>((resolve) => (commit = resolve));
        return [];
      },
      { ...OPTIONS, server: { whenQuiet: (call) => ((refuse = call), () => undefined) } },
    );
    const first = group.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    const second = group.add(2).catch((error: unknown) => failureKind(error));
    refuse();
    commit();
    await first;
    expect(await second).toBe('transient');
    expect(committed).toEqual([1]);
  });

  describe('while gathering', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    const COMMIT_MS = 3;
    function gathering(gatherMs: number | undefined) {
      const groups: number[] = [];
      const commit = async (items: readonly number[]) => {
        groups.push(items.length);
        await new Promise((resolve) => setTimeout(resolve, COMMIT_MS));
        return items;
      };
      return {
        groups,
        group: new GroupCommit<number, number>(commit, { ...OPTIONS, flushers: 2, gatherMs }),
      };
    }

    /** One every 2 ms, whatever becomes of it. */
    async function offer(group: GroupCommit<number, number>, count: number) {
      for (let item = 0; item < count; item++) {
        void group.add(item);
        await vi.advanceTimersByTimeAsync(2);
      }
    }

    it('commits a single item at once', async () => {
      const { groups, group } = gathering(10);
      for (let item = 0; item < 5; item++) {
        void group.add(item);
        await vi.advanceTimersByTimeAsync(0);
        expect(groups).toHaveLength(item + 1);
        await vi.advanceTimersByTimeAsync(100);
      }
    });

    it('lets groups grow when many come', async () => {
      const [alone, together] = [gathering(undefined), gathering(10)];
      await offer(alone.group, 600);
      await offer(together.group, 600);
      expect(together.groups.length).toBeLessThan(alone.groups.length / 2);
      expect(Math.max(...together.groups.slice(-20))).toBeGreaterThanOrEqual(4);
    });

    it('keeps no item waiting beyond the limit, and is as quick as before under light load', async () => {
      const { groups, group } = gathering(10);
      await offer(group, 600);
      let committed = false;
      void group.add(1).then(() => (committed = true));
      await vi.advanceTimersByTimeAsync(10 + COMMIT_MS);
      expect(committed).toBe(true);
      await vi.advanceTimersByTimeAsync(2_000);
      const before = groups.length;
      void group.add(1);
      await vi.advanceTimersByTimeAsync(0);
      expect(groups).toHaveLength(before + 1);
    });

    it('does not gather when all callers are waiting', async () => {
      const { groups, group } = gathering(10);
      const send = async (): Promise<void> => {
        for (let item = 0; item < 300; item++) await group.add(item);
      };
      void Promise.all([send(), send()]);
      await vi.advanceTimersByTimeAsync(300 * COMMIT_MS * 1.5);
      expect(groups.reduce((sum, size) => sum + size, 0)).toBe(600);
    });
  });

  it('fails only the item that cannot be committed', async () => {
    const group = new GroupCommit<number, number>(async (items) => {
      if (items.includes(13)) throw new Error('thirteen');
      return items;
    }, OPTIONS);
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, item) => group.add(item)));
    expect(results.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
    expect(results[13]).toMatchObject({ status: 'rejected' });
  });

  it('fails the whole group at once when the database is unavailable, without a try for each item', async () => {
    let commits = 0;
    const group = new GroupCommit<number, number>(async () => {
      commits += 1;
      throw new Transient('gone');
    }, OPTIONS);
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, item) => group.add(item)));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(commits).toBe(1);
  });

  it('refuses more than may wait', async () => {
    const group = new GroupCommit<number, number>(() => new Promise(() => undefined), {
      ...OPTIONS,
      maxPending: 2,
    });
    void group.add(1);
    void group.add(2);
    await expect(group.add(3)).rejects.toThrow(Transient);
  });
});
