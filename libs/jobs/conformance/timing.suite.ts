import { setTimeout as nap } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, gate, type JobsDriver } from './bench-of-jobs.js';
import { keyed, plain } from './catalogue.js';

/** When jobs are run: delays, duplicates, bulk, schedules, lost connections. */
export function describeTiming(driver: () => JobsDriver): void {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench(driver());
  });
  afterEach(() => bench.close());

  it('runs a delayed job not early, and soon after it is due', async () => {
    const jobs = await bench.open();
    const ran: { n: number; at: number }[] = [];
    await jobs.process(
      { plain },
      { plain: ({ payload }) => Promise.resolve(void ran.push({ n: payload.n, at: Date.now() })) },
    );
    const begun = Date.now();
    const delays = [1_200, 300, 700];
    for (const delayMs of delays) await jobs.enqueue(plain, { n: delayMs }, { delayMs });
    await expect.poll(() => ran.length, { timeout: 5_000 }).toBe(3);
    expect(ran.map((one) => one.n)).toEqual([300, 700, 1_200]);
    for (const { n, at } of ran) {
      expect(at - begun).toBeGreaterThanOrEqual(n);
      expect(at - begun).toBeLessThan(n + 1_000);
    }
  });

  it('puts in many at once', async () => {
    const jobs = await bench.open();
    const ran = new Set<number>();
    await jobs.enqueueMany(
      plain,
      Array.from({ length: 1_201 }, (_, n) => ({ n })),
    );
    expect((await jobs.counts())['tests.plain']?.waiting).toBe(1_201);
    await jobs.process({ plain }, { plain: ({ payload }) => Promise.resolve(void ran.add(payload.n)) });
    await expect.poll(() => ran.size, { timeout: 20_000 }).toBe(1_201);
  });

  it('keeps the first of several with one key', async () => {
    const jobs = await bench.open();
    const first = await jobs.enqueue(keyed, { key: 'a', n: 1 });
    expect(await jobs.enqueue(keyed, { key: 'a', n: 2 })).toBe(first);
    await jobs.enqueueMany(keyed, [
      { key: 'a', n: 3 },
      { key: 'b', n: 4 },
    ]);
    await jobs.enqueue(keyed, { key: 'a', n: 5 }, { dedupe: 'off' });
    const ran: number[] = [];
    await jobs.process({ keyed }, { keyed: ({ payload }) => Promise.resolve(void ran.push(payload.n)) });
    await expect.poll(() => ran.length, { timeout: 5_000 }).toBe(3);
    await nap(300);
    expect(ran.toSorted()).toEqual([1, 4, 5]);
    // the key is free again when its job is done
    await jobs.enqueue(keyed, { key: 'a', n: 6 });
    await expect.poll(() => ran.length, { timeout: 5_000 }).toBe(4);
  });

  it('lets the latest take the place of a delayed one', async () => {
    const jobs = await bench.open();
    const ran: number[] = [];
    await jobs.process({ keyed }, { keyed: ({ payload }) => Promise.resolve(void ran.push(payload.n)) });
    await jobs.enqueue(keyed, { key: 'a', n: 1 }, { delayMs: 60_000 });
    await jobs.enqueue(keyed, { key: 'a', n: 2 }, { dedupe: 'latest' });
    await expect.poll(() => ran, { timeout: 5_000 }).toEqual([2]);
    expect((await jobs.counts())['tests.keyed']?.delayed).toBe(0);
  });

  it('runs what comes while its twin runs afterwards, once', async () => {
    const jobs = await bench.open();
    const begun = gate();
    const end = gate();
    const ran: number[] = [];
    await jobs.process(
      { keyed },
      {
        keyed: async ({ payload }) => {
          ran.push(payload.n);
          begun.open();
          await end.opened;
        },
      },
    );
    await jobs.enqueue(keyed, { key: 'a', n: 1 });
    await begun.opened;
    await jobs.enqueue(keyed, { key: 'a', n: 2 });
    await jobs.enqueue(keyed, { key: 'a', n: 3 });
    await nap(200);
    expect(ran).toEqual([1]);
    end.open();
    await expect.poll(() => ran, { timeout: 5_000 }).toEqual([1, 3]);
  });

  it('repeats a job, and asking again does not double it', async () => {
    const processes = await Promise.all([bench.open(), bench.open(), bench.open()]);
    const at: number[] = [];
    await processes[0]!.process({ plain }, { plain: () => Promise.resolve(void at.push(Date.now())) });
    const ask = () =>
      Promise.all(processes.map((jobs) => jobs.every(plain, { n: 1 }, { id: 'tick', everyMs: 400 })));
    await ask();
    await ask();
    const begun = Date.now();
    await nap(2_900);
    // once at the start, then every 400 ms; schedules are renewed every 300 ms meanwhile
    const most = Math.floor((Date.now() - begun) / 400) + 2;
    expect(at.length).toBeGreaterThanOrEqual(4);
    expect(at.length).toBeLessThanOrEqual(most);
    for (const jobs of processes) await jobs.cancelEvery(plain, 'tick');
    await nap(500);
    const ended = at.length;
    await nap(1_000);
    expect(at.length).toBe(ended);
  });

  it('makes the first run of a schedule once, though three processes ask at the same moment', async () => {
    const processes = await Promise.all([bench.open(), bench.open(), bench.open()]);
    const ran: number[] = [];
    const schedules = Array.from({ length: 100 }, (_, n) => n);
    for (const jobs of processes) {
      const asked = schedules.map((n) => jobs.every(plain, { n }, { id: `s${n}`, everyMs: 3_600_000 }));
      void Promise.all(asked);
    }
    await Promise.all(
      processes.map((jobs) => jobs.every(plain, { n: 100 }, { id: 's100', everyMs: 3_600_000 })),
    );
    await processes[0]!.process(
      { plain },
      { plain: ({ payload }) => Promise.resolve(void ran.push(payload.n)) },
    );
    await expect.poll(() => new Set(ran).size, { timeout: 10_000 }).toBe(101);
    await nap(500);
    expect(ran.toSorted((a, b) => a - b)).toEqual([...schedules, 100]);
  });

  it('does periodic work now and again, one run at a time, and goes on after one that failed', async () => {
    const jobs = await bench.open();
    let running = 0;
    let most = 0;
    let ran = 0;
    const work = { queue: 'test', name: 'periodic', everyMs: 200, timeoutMs: 5_000 };
    await jobs.repeat(work, async () => {
      most = Math.max(most, (running += 1));
      await nap(300);
      running -= 1;
      if ((ran += 1) === 1) throw new Error('left to the next run');
    });
    await expect.poll(() => ran, { timeout: 5_000 }).toBeGreaterThan(2);
    expect(most).toBe(1);
  });

  it('takes up a changed interval', async () => {
    const jobs = await bench.open();
    let ran = 0;
    await jobs.process({ plain }, { plain: () => Promise.resolve(void (ran += 1)) });
    await jobs.every(plain, { n: 1 }, { id: 'tick', everyMs: 3_600_000 });
    await expect.poll(() => ran, { timeout: 5_000 }).toBe(1);
    await jobs.every(plain, { n: 1 }, { id: 'tick', everyMs: 200 });
    await expect.poll(() => ran, { timeout: 5_000 }).toBeGreaterThan(4);
  });

  it('repeats again after the queue has lost its memory', async () => {
    const jobs = await bench.open();
    let ran = 0;
    await jobs.process({ plain }, { plain: () => Promise.resolve(void (ran += 1)) });
    await jobs.every(plain, { n: 1 }, { id: 'tick', everyMs: 250 });
    await expect.poll(() => ran, { timeout: 5_000 }).toBeGreaterThan(1);
    await driver().forgetEverything();
    const then = ran;
    await expect.poll(() => ran, { timeout: 10_000 }).toBeGreaterThan(then + 2);
  });

  it('goes on after its connections were cut', async () => {
    const jobs = await bench.open();
    const ran: number[] = [];
    await jobs.process({ plain }, { plain: ({ payload }) => Promise.resolve(void ran.push(payload.n)) });
    await jobs.enqueue(plain, { n: 1 });
    await expect.poll(() => ran, { timeout: 5_000 }).toEqual([1]);
    await driver().cutConnections();
    await expect
      .poll(
        () =>
          jobs.enqueue(plain, { n: 2 }, {}).then(
            () => true,
            () => false,
          ),
        { timeout: 15_000 },
      )
      .toBe(true);
    await expect.poll(() => ran.at(-1), { timeout: 15_000 }).toBe(2);
    // and is woken at once again, not only by looking now and then
    const begun = Date.now();
    await jobs.enqueue(plain, { n: 3 });
    await expect.poll(() => ran.at(-1), { timeout: 15_000 }).toBe(3);
    expect(Date.now() - begun).toBeLessThan(2_000);
  });
}
