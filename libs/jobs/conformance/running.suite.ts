import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as nap } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Permanent, Transient } from '@postmesh/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, gate, type JobsDriver } from './bench-of-jobs.js';
import { brief, dated, older, plain, single } from './catalogue.js';

/** How jobs are run, tried again and given up. */
export function describeRunning(driver: () => JobsDriver): void {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench(driver());
  });
  afterEach(() => bench.close());

  it('runs a job once, with two processes waiting for it', async () => {
    const ran: number[] = [];
    const processes = [await bench.open(), await bench.open()];
    for (const jobs of processes) {
      await jobs.process({ plain }, { plain: ({ payload }) => Promise.resolve(void ran.push(payload.n)) });
    }
    for (let n = 0; n < 20; n += 1) await processes[0]!.enqueue(plain, { n });
    await expect.poll(() => ran.length, { timeout: 5_000 }).toBe(20);
    await nap(300);
    expect(ran.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(await processes[0]!.counts()).toEqual({
      'tests.plain': { waiting: 0, active: 0, delayed: 0, failed: 0 },
    });
  });

  it('runs what was put in before anybody took jobs', async () => {
    const jobs = await bench.open();
    await jobs.enqueue(plain, { n: 7 });
    expect((await jobs.counts())['tests.plain']?.waiting).toBe(1);
    const ran: number[] = [];
    await jobs.process({ plain }, { plain: ({ payload }) => Promise.resolve(void ran.push(payload.n)) });
    await expect.poll(() => ran, { timeout: 5_000 }).toEqual([7]);
  });

  it('tries again with growing waits, then lists the job as failed, and retries it when asked', async () => {
    const jobs = await bench.open();
    const tries: { attempt: number; at: number }[] = [];
    let mended = false;
    await jobs.process(
      { plain },
      {
        plain: ({ attempt }) => {
          tries.push({ attempt, at: Date.now() });
          return mended ? Promise.resolve() : Promise.reject(new Error('out of \0 order'));
        },
      },
    );
    await jobs.enqueue(plain, { n: 1 });
    await expect.poll(() => jobs.failed(), { timeout: 10_000 }).toHaveLength(1);
    expect(tries.map((one) => one.attempt)).toEqual([1, 2, 3]);
    expect(tries[1]!.at - tries[0]!.at).toBeGreaterThanOrEqual(200);
    expect(tries[2]!.at - tries[1]!.at).toBeGreaterThanOrEqual(400);
    const [failed] = await jobs.failed({ job: plain });
    expect(failed).toMatchObject({ job: 'tests.plain', payload: { n: 1 }, attempts: 3 });
    expect(failed?.reason).toBe('bug: out of \uFFFD order');
    mended = true;
    expect(await jobs.retryFailed({ ids: ['no such id'] })).toBe(0);
    expect(await jobs.retryFailed({ ids: [failed!.id] })).toBe(1);
    await expect.poll(() => tries.length, { timeout: 5_000 }).toBe(4);
    expect(tries[3]?.attempt).toBe(1);
    await expect.poll(() => jobs.failed(), { timeout: 5_000 }).toEqual([]);
  });

  it('does not try again what will never work', async () => {
    const jobs = await bench.open();
    let tries = 0;
    await jobs.process({ plain }, { plain: () => Promise.reject(new Permanent(`no ${(tries += 1)}`)) });
    await jobs.enqueue(plain, { n: 1 });
    await expect.poll(() => jobs.failed(), { timeout: 5_000 }).toHaveLength(1);
    await nap(500);
    expect(tries).toBe(1);
  });

  it('waits as long as the failure asks for', async () => {
    const jobs = await bench.open();
    const at: number[] = [];
    await jobs.process(
      { plain },
      {
        plain: ({ attempt }) => {
          at.push(Date.now());
          return attempt === 1 ? Promise.reject(new Transient('busy', 900)) : Promise.resolve();
        },
      },
    );
    await jobs.enqueue(plain, { n: 1 });
    await expect.poll(() => at.length, { timeout: 5_000 }).toBe(2);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(900);
  });

  it('refuses a payload that does not fit, and one that cannot be stored', async () => {
    const jobs = await bench.open();
    // @ts-expect-error n is a number
    await expect(jobs.enqueue(plain, { n: 'one' })).rejects.toThrow(Permanent);
    await expect(jobs.enqueue(older, { was: 'nul \0' })).rejects.toThrow('NUL');
    expect(await jobs.counts()).toEqual({});
  });

  it('fails a stored payload that does not fit at once, and goes on', async () => {
    const producer = await bench.open();
    const jobs = await bench.open();
    await producer.enqueue(older, { was: 'otherwise' });
    await producer.enqueue(plain, { n: 2 });
    const ran: number[] = [];
    await jobs.process({ plain }, { plain: ({ payload }) => Promise.resolve(void ran.push(payload.n)) });
    await expect.poll(() => jobs.failed(), { timeout: 5_000 }).toHaveLength(1);
    expect((await jobs.failed())[0]).toMatchObject({ payload: { was: 'otherwise' }, attempts: 1 });
    expect((await jobs.failed())[0]?.reason).toMatch(/^poison: payload of tests.plain/);
    await expect.poll(() => ran, { timeout: 5_000 }).toEqual([2]);
  });

  it('gives handlers the payload as the schema makes it', async () => {
    const jobs = await bench.open();
    const days: Date[] = [];
    await jobs.process({ dated }, { dated: ({ payload }) => Promise.resolve(void days.push(payload.day)) });
    await jobs.enqueue(dated, { day: '2026-11-21T00:00:00.000Z' });
    await expect.poll(() => days, { timeout: 5_000 }).toEqual([new Date('2026-11-21T00:00:00.000Z')]);
  });

  it('ends a run that takes too long, tells it so, and tries again', async () => {
    const jobs = await bench.open();
    let told = 0;
    await jobs.process(
      { brief },
      {
        brief: ({ signal }) => {
          signal.addEventListener('abort', () => (told += 1));
          return new Promise(() => undefined); // does not heed the signal
        },
      },
    );
    await jobs.enqueue(brief, { n: 1 });
    await expect.poll(() => jobs.failed(), { timeout: 5_000 }).toHaveLength(1);
    expect(told).toBe(2);
    expect((await jobs.failed())[0]).toMatchObject({
      attempts: 2,
      reason: 'transient: the run took longer than 200 ms',
    });
  });

  it('runs no more at once than the definition says', async () => {
    const jobs = await bench.open();
    let now = 0;
    let most = 0;
    let done = 0;
    const work = async () => {
      most = Math.max(most, (now += 1));
      await nap(30);
      now -= 1;
      done += 1;
    };
    await jobs.process({ plain, single }, { plain: work, single: () => Promise.resolve() });
    await jobs.enqueueMany(
      plain,
      Array.from({ length: 24 }, (_, n) => ({ n })),
    );
    await expect.poll(() => done, { timeout: 10_000 }).toBe(24);
    expect(most).toBe(4);
  });

  it('takes over the run of a process that was killed', async () => {
    const project = join(import.meta.dirname, '..');
    const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc');
    await promisify(execFile)(process.execPath, [tsc, '-b', project]);
    const script = join(import.meta.dirname, 'hanging-worker.mjs');
    const victim = spawn(process.execPath, [script, JSON.stringify(bench.options())], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: victim.stdout })[Symbol.asyncIterator]();
    const jobs = await bench.open();
    await jobs.enqueue(plain, { n: 9 });
    expect((await lines.next()).value).toBe('begun 9');
    const killed = once(victim, 'exit');
    victim.kill('SIGKILL');
    await killed;
    const ran: { n: number; attempt: number }[] = [];
    await jobs.process(
      { plain },
      { plain: ({ payload, attempt }) => Promise.resolve(void ran.push({ n: payload.n, attempt })) },
    );
    // a crash is no failed attempt
    await expect.poll(() => ran, { timeout: 10_000 }).toEqual([{ n: 9, attempt: 1 }]);
  });

  it('lets runs end before it closes', async () => {
    const jobs = await bench.open();
    const begun = gate();
    let done = false;
    await jobs.process(
      { plain },
      {
        plain: async () => {
          begun.open();
          await nap(400);
          done = true;
        },
      },
    );
    await jobs.enqueue(plain, { n: 1 });
    await begun.opened;
    await jobs.close();
    expect(done).toBe(true);
    expect(jobs.ready()).toBe(false);
  });

  it('does not wait for ever to close: the run is told, and put back for others', async () => {
    const jobs = await bench.open();
    const begun = gate();
    let reason: unknown;
    await jobs.process(
      { plain },
      {
        plain: ({ signal }) => {
          signal.addEventListener('abort', () => (reason = signal.reason));
          begun.open();
          return new Promise(() => undefined);
        },
      },
    );
    await jobs.enqueue(plain, { n: 5 });
    await begun.opened;
    const since = Date.now();
    await jobs.close();
    expect(Date.now() - since).toBeLessThan(4_000);
    expect(String(reason)).toContain('the process ends');
    const others = await bench.open();
    const ran: { n: number; attempt: number }[] = [];
    await others.process(
      { plain },
      { plain: ({ payload, attempt }) => Promise.resolve(void ran.push({ n: payload.n, attempt })) },
    );
    await expect.poll(() => ran, { timeout: 5_000 }).toEqual([{ n: 5, attempt: 1 }]);
  });
}
