import { describe, expect, it } from 'vitest';
import { Transient } from '@postmesh/contracts';
import { GroupCommit } from './group-commit.js';

const OPTIONS = { maxWeight: 100, flushers: 1, maxPending: 1_000 };

describe('GroupCommit', () => {
  it('commits what arrives together in one transaction and answers each its own result', async () => {
    const groups: number[] = [];
    const group = new GroupCommit<number, number>(async (items) => {
      groups.push(items.length);
      return items.map((item) => item * 2);
    }, OPTIONS);
    expect(await Promise.all([1, 2, 3].map((item) => group.add(item)))).toEqual([2, 4, 6]);
    expect(groups).toEqual([3]);
  });

  it('answers nobody before the commit', async () => {
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

  it('lets a group grow for as long as it is told', async () => {
    const groups: number[] = [];
    const group = new GroupCommit<number, number>(
      async (items) => {
        groups.push(items.length);
        return items;
      },
      { ...OPTIONS, gatherMs: 20 },
    );
    const first = group.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, group.add(2)]);
    expect(groups).toEqual([2]);
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

  it('fails all at once when the database is away, without asking it for each', async () => {
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
