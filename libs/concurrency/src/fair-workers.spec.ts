import { describe, expect, it } from 'vitest';
import { FairWorkers } from './fair-workers.js';

interface Work {
  readonly family: string;
  readonly key: string;
  readonly name: string;
  /** of each turn */
  readonly ms: number;
  turns: number;
}

const work = (name: string, ms = 1, { turns = 1, key = name[0] as string } = {}): Work => ({
  family: name[0] as string,
  key,
  name,
  ms,
  turns,
});

/** Workers on a clock of their own: a turn ends when the clock has moved on by what it takes. */
class Shop {
  readonly began: string[] = [];
  readonly done = new Map<string, number>();
  readonly seats: string[] = [];
  /** how many of the workers */
  ready = Infinity;
  private now = 0;
  private readonly turns: { until: number; end: (goesOn: boolean) => void; item: Work }[] = [];
  readonly workers;

  constructor(count: number) {
    this.workers = new FairWorkers<string, Work>({
      workers: Array.from({ length: count }, (_, nth) => `w${nth}`),
      now: () => this.now,
      isReady: (worker) => Number(worker.slice(1)) < this.ready,
      turn: (worker, item) => {
        this.began.push(item.name);
        this.seats.push(`${item.name}@${worker}`);
        item.turns -= 1;
        return new Promise((end) => this.turns.push({ until: this.now + item.ms, end, item }));
      },
    });
  }

  add(...items: Work[]): void {
    for (const item of items) this.workers.add(item);
  }

  /** Until all is done, or up to a time. */
  async run(until = Infinity): Promise<void> {
    for (;;) {
      this.turns.sort((a, b) => a.until - b.until);
      const [next] = this.turns;
      if (!next || next.until > until) return;
      this.turns.shift();
      this.now = next.until;
      if (next.item.turns === 0) this.done.set(next.item.name, this.now);
      next.end(next.item.turns > 0);
      await new Promise(setImmediate);
    }
  }
}

describe('workers that families share by time', () => {
  it('a family that needs ten times as long for a turn gets a tenth of the turns', async () => {
    const shop = new Shop(1);
    shop.add(work('a1', 100, { turns: 10 }), work('b1', 10, { turns: 100 }));
    await shop.run(1_000);
    const of = (name: string) => shop.began.filter((one) => one === name).length;
    expect([of('a1'), of('b1')]).toEqual([6, 50]);
  });

  it('the number of accounts and requests gives a family no time', async () => {
    const shop = new Shop(1);
    for (let n = 0; n < 8; n++) shop.add(work(`a${n}`, 1_000, { key: `sub ${n}`, turns: 5 }));
    shop.add(work('v1', 10));
    await shop.run(1_010);
    expect(shop.done.get('v1')).toBe(1_010);
  });

  it('a single family leaves a worker to the others, whatever it has begun', async () => {
    const shop = new Shop(2);
    shop.add(work('a1', 9_000), work('a2', 9_000));
    await shop.run(100);
    shop.add(work('v1', 10), work('v2', 10));
    await shop.run(8_000);
    expect([shop.done.get('v1'), shop.done.get('v2')]).toEqual([10, 20]);
    expect(shop.began).toEqual(['a1', 'v1', 'v2']);
  });

  it('a family that did nothing has no credit, and one that was alone has no debt', async () => {
    const shop = new Shop(1);
    shop.add(work('a1', 500));
    await shop.run();
    shop.add(work('a2', 10, { turns: 9 }), work('b1', 10, { turns: 9 }));
    await shop.run();
    // both begin at the level at which a had its last turn
    expect(shop.began.slice(1)).toEqual(Array.from({ length: 9 }, () => ['a2', 'b1']).flat());
    shop.add(work('c1', 10, { turns: 2 }), work('a3', 10, { turns: 2 }));
    await shop.run();
    expect(shop.began.slice(-4)).toEqual(['c1', 'a3', 'c1', 'a3']);
  });

  it('keys of a family take turns, each in its own order, and what is begun comes before all else of its key', async () => {
    const shop = new Shop(1);
    shop.add(work('a1', 1, { turns: 2, key: 'x' }), work('a2', 1, { key: 'x' }), work('a3', 1, { key: 'y' }));
    const sizes = () => [
      shop.workers.size,
      shop.workers.sizeOf({ family: 'a' }),
      shop.workers.sizeOf({ family: 'a', key: 'y' }),
    ];
    expect(sizes()).toEqual([2, 2, 1]);
    await shop.run();
    expect(shop.began).toEqual(['a1', 'a3', 'a1', 'a2']);
    expect(sizes()).toEqual([0, 0, 0]);
  });

  it('a worker that is not ready yet holds up no family', async () => {
    const shop = new Shop(2);
    shop.ready = 1;
    shop.add(work('a1', 10, { turns: 2 }), work('b1', 5, { turns: 3 }));
    await shop.run(15);
    shop.ready = 2;
    shop.workers.wake();
    await shop.run();
    expect(shop.seats).toEqual(['a1@w0', 'b1@w0', 'b1@w0', 'a1@w1', 'b1@w0']);
  });

  it('a family stays with the worker that knows it', async () => {
    const shop = new Shop(2);
    shop.add(work('a1', 5), work('b1', 7));
    await shop.run();
    shop.add(work('b2', 5), work('a2', 5));
    await shop.run();
    expect(shop.seats).toEqual(['a1@w0', 'b1@w1', 'b2@w1', 'a2@w0']);
  });

  it('what waits can be taken back, what has begun cannot', async () => {
    const shop = new Shop(1);
    const [begun, waiting, other] = [work('a1'), work('a2'), work('b1')];
    shop.add(begun, waiting, other);
    expect([shop.workers.remove(begun), shop.workers.remove(waiting), shop.workers.remove(waiting)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(shop.workers.removeAll()).toEqual([other]);
    await shop.run();
    expect(shop.began).toEqual(['a1']);
    expect(shop.workers.size).toBe(0);
  });

  it('knows a bounded number of families', async () => {
    const shop = new Shop(1);
    for (let n = 0; n < 3_000; n++) {
      shop.workers.add({ ...work('x', 1), family: `family ${n}` });
      await shop.run();
    }
    const { families } = shop.workers as unknown as { families: Map<string, unknown> };
    expect(families.size).toBeLessThanOrEqual(1_000);
  });
});
