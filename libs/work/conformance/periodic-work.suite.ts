import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as nap } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Permanent } from '@postmesh/contracts';
import { describe, expect, test } from 'vitest';
import { Periodic } from '../src/periodic/periodic.decorator.js';
import { Bench, gate, type JobsDriver } from './bench-of-jobs.js';

const FOR_LONG_MS = 3_600_000;
/** Runs once, then not again while the test lasts. */
const hourly = { queue: 'tests', name: 'hourly', everyMs: FOR_LONG_MS, timeoutMs: 10_000 };
const tick = { queue: 'tests', name: 'tick', everyMs: 300, timeoutMs: 10_000 };
const never = () => new Promise<never>(() => undefined);

/** As a service has it. */
class Declared {
  ran = 0;

  @Periodic({ name: 'declared', everyMs: FOR_LONG_MS, timeoutMs: 10_000 })
  async run(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.ran += 1;
  }
}
class DeclaredModule {}

/** The promises of periodic work on every backend. */
export function describePeriodicWork(driver: () => JobsDriver): void {
  const it = test.extend<{ bench: Bench }>({
    // eslint-disable-next-line no-empty-pattern -- vitest reads the names of other fixtures there
    bench: async ({}, use) => {
      const bench = new Bench(driver());
      await use(bench);
      await bench.close();
    },
  });

  // what waits for an interval does it next to others; each has a prefix of its own
  describe.concurrent('periodic work', () => {
    it('is declared by a method, and is found once though its provider has two tokens', async ({
      bench,
      expect,
    }) => {
      const alias = { provide: 'alias', useExisting: Declared };
      const jobs = await bench.open({ module: DeclaredModule, providers: [Declared, alias] });
      const declared = (await jobs.start('tests')).get(Declared, { strict: false });
      await expect.poll(() => declared.ran).toBe(1);
      expect(Object.keys(await (await jobs.tasks()).counts())).toEqual(['tests.declared']);
    });

    it('runs at its interval, one run at a time, and continues after a failed run', async ({
      bench,
      expect,
    }) => {
      const jobs = await bench.open();
      let running = 0;
      let most = 0;
      let ran = 0;
      await jobs.repeat({ ...tick, everyMs: 200 }, async () => {
        most = Math.max(most, (running += 1));
        await nap(300);
        running -= 1;
        if ((ran += 1) === 1) throw new Error('left to the next run');
      });
      await expect.poll(() => ran).toBeGreaterThan(2);
      expect(most).toBe(1);
    });

    it('is scheduled once, though several processes ask for it again and again', async ({
      bench,
      expect,
    }) => {
      const processes = await Promise.all([bench.open(), bench.open(), bench.open()]);
      let ran = 0;
      const begun = Date.now();
      // each renews the schedule every 300 ms meanwhile
      for (const jobs of processes) await jobs.repeat({ ...tick, everyMs: 400 }, async () => void (ran += 1));
      await expect.poll(() => ran).toBeGreaterThan(5);
      // once at the start, then every 400 ms
      expect(ran).toBeLessThanOrEqual(Math.floor((Date.now() - begun) / 400) + 2);
      await processes[0]!.cancel(tick);
    });

    it('has one first run, though three processes ask at the same moment', async ({ bench, expect }) => {
      const processes = await Promise.all([bench.open(), bench.open(), bench.open()]);
      const ran: number[] = [];
      const works = Array.from({ length: 40 }, (_, n) => n);
      await Promise.all(
        processes.flatMap((jobs) =>
          works.map((n) => jobs.repeat({ ...hourly, name: `work-${n}` }, async () => void ran.push(n))),
        ),
      );
      await expect.poll(() => new Set(ran).size).toBe(works.length);
      await nap(500);
      expect(ran.toSorted((a, b) => a - b)).toEqual(works);
    });

    it('is done in one process for each name, and of several services apart', async ({ bench, expect }) => {
      const jobs = await bench.open();
      const ran: string[] = [];
      await jobs.repeat(hourly, async () => void ran.push('tests'));
      await jobs.repeat({ ...hourly, queue: 'others' }, async () => void ran.push('others'));
      await expect(jobs.repeat(hourly, async () => undefined)).rejects.toThrow('added already');
      await expect.poll(() => ran.toSorted()).toEqual(['others', 'tests']);
    });

    it('takes up a changed interval', async ({ bench, expect }) => {
      let ran = 0;
      const before = await bench.open();
      await before.repeat(hourly, async () => void (ran += 1));
      await expect.poll(() => ran).toBe(1);
      await before.close();
      const after = await bench.open();
      await after.repeat({ ...hourly, everyMs: 200 }, async () => void (ran += 1));
      await expect.poll(() => ran).toBeGreaterThan(4);
    });

    it('keeps to a changed interval when a run is late', async ({ bench, expect }) => {
      let ran = 0;
      const runIn = async (everyMs: number, runs: number) => {
        const jobs = await bench.open();
        await jobs.repeat({ ...hourly, everyMs }, async () => void (ran += 1));
        await expect.poll(() => ran).toBeGreaterThanOrEqual(runs);
        await jobs.close();
      };
      await runIn(FOR_LONG_MS, 1);
      await runIn(200, 2);
      // no process runs when the next one is due
      await nap(500);
      await runIn(200, ran + 3);
    });

    it('is not done any more when it was cancelled', async ({ bench, expect }) => {
      const jobs = await bench.open();
      let ran = 0;
      await jobs.repeat(tick, async () => void (ran += 1));
      await expect.poll(() => ran).toBeGreaterThan(0);
      await jobs.cancel(tick);
      await nap(500);
      const ended = ran;
      await nap(1_000);
      expect(ran).toBe(ended);
    });

    it('wakes a worker that idles', async ({ bench, expect }) => {
      const jobs = await bench.open();
      let ran = 0;
      await jobs.repeat(hourly, async () => undefined);
      await nap(300);
      await jobs.repeat({ ...hourly, name: 'later' }, async () => void (ran += 1));
      // a poll without a notification comes after 30 s
      await expect.poll(() => ran).toBe(1);
    });
  });

  describe('periodic work of all services on a backend', () => {
    it('continues after the queue has lost its data', async ({ bench }) => {
      const jobs = await bench.open();
      let ran = 0;
      await jobs.repeat(tick, async () => void (ran += 1));
      await expect.poll(() => ran).toBeGreaterThan(1);
      await driver().forgetEverything();
      const then = ran;
      await expect.poll(() => ran).toBeGreaterThan(then + 2);
    });

    it('continues after its connections were cut', async ({ bench }) => {
      const jobs = await bench.open();
      let ran = 0;
      await jobs.repeat(tick, async () => void (ran += 1));
      await expect.poll(() => ran).toBeGreaterThan(0);
      await driver().cutConnections();
      const then = ran;
      await expect.poll(() => ran).toBeGreaterThan(then + 2);
    });
  });

  describe.concurrent('a run', () => {
    it('that fails is in the failed list, counted, and runs again after a retry', async ({
      bench,
      expect,
    }) => {
      const jobs = await bench.open();
      let mended = false;
      let ran = 0;
      await jobs.repeat(hourly, async () => {
        ran += 1;
        if (!mended) throw new Permanent('out of \0 order');
      });
      await expect.poll(async () => (await jobs.tasks()).failed()).toHaveLength(1);
      const [failed] = await (await jobs.tasks()).failed();
      expect(failed).toMatchObject({ job: 'tests.hourly', reason: 'permanent: out of \uFFFD order' });
      expect(failed?.failedAt).toBeInstanceOf(Date);
      expect(await (await jobs.tasks()).counts()).toEqual({
        'tests.hourly': { waiting: 0, active: 0, delayed: 1, failed: 1 },
      });
      mended = true;
      expect(await (await jobs.tasks()).retryFailed()).toBe(1);
      await expect.poll(() => ran).toBe(2);
      await expect.poll(async () => (await jobs.tasks()).failed()).toEqual([]);
      expect(await (await jobs.tasks()).retryFailed()).toBe(0);
    });

    it('that takes too long is aborted, and has failed', async ({ bench, expect }) => {
      const jobs = await bench.open();
      let told: unknown;
      await jobs.repeat({ ...hourly, timeoutMs: 200 }, (signal) => {
        signal.addEventListener('abort', () => (told = signal.reason));
        return never(); // does not heed the signal
      });
      await expect.poll(async () => (await jobs.tasks()).failed()).toHaveLength(1);
      expect(String(told)).toContain('took longer than 200 ms');
      expect((await (await jobs.tasks()).failed())[0]?.reason).toBe(
        'transient: the run took longer than 200 ms',
      );
    });

    it('of a process that was killed is taken over', async ({ bench, expect }) => {
      const project = join(import.meta.dirname, '..');
      const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc');
      await promisify(execFile)(process.execPath, [tsc, '-b', project]);
      const script = join(import.meta.dirname, 'hanging-worker.mjs');
      const victim = spawn(process.execPath, [script, JSON.stringify(bench.options())], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: victim.stdout })[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe('begun');
      const killed = once(victim, 'exit');
      victim.kill('SIGKILL');
      await killed;
      const jobs = await bench.open();
      let ran = 0;
      await jobs.repeat(hourly, async () => void (ran += 1));
      await expect.poll(() => ran).toBe(1);
    });

    it('that came due before its worker was registered waits for it', async ({ bench, expect }) => {
      const before = await bench.open();
      let ran = 0;
      await before.repeat({ ...hourly, everyMs: 400 }, async () => undefined);
      await before.close();
      await nap(500);
      const jobs = await bench.open();
      await jobs.repeat(tick, async () => undefined);
      await nap(200);
      // the same interval: no new first run, the one that is due is taken
      await jobs.repeat({ ...hourly, everyMs: 400 }, async () => void (ran += 1));
      await expect.poll(() => ran).toBeGreaterThan(0);
    });

    it('may end before the process does', async ({ bench, expect }) => {
      const jobs = await bench.open();
      const begun = gate();
      let done = false;
      await jobs.repeat(hourly, async () => {
        begun.open();
        await nap(400);
        done = true;
      });
      await begun.opened;
      await jobs.close();
      expect(done).toBe(true);
      expect(jobs.ready()).toBe(false);
    });

    it('that does not end is aborted when the process ends, and returned to the queue', async ({
      bench,
      expect,
    }) => {
      const jobs = await bench.open();
      const begun = gate();
      let reason: unknown;
      await jobs.repeat(hourly, (signal) => {
        signal.addEventListener('abort', () => (reason = signal.reason));
        begun.open();
        return never();
      });
      await begun.opened;
      await jobs.close();
      expect(String(reason)).toContain('the process ends');
      const others = await bench.open();
      let ran = 0;
      await others.repeat(hourly, async () => void (ran += 1));
      await expect.poll(() => ran).toBe(1);
      expect(await (await others.tasks()).failed()).toEqual([]);
    });
  });
}
