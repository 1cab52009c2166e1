import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { MESSAGES_SERVICE } from './messages.definition.js';
import { SweepContent } from './retention/sweep-content.js';
import { FoldStatistics } from './statistics/fold-statistics.js';
import { PruneStatistics } from './statistics/prune-statistics.js';
import { RollUpStatistics } from './statistics/roll-up-statistics.js';
import { FoldUsage } from './usage/fold-usage.js';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

const database = testDatabase();
let messages: TestService;
beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, { databaseUrl: database.url });
});
afterAll(() => messages?.stop());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The method of each job that receives the time, and a run of the job with its own clock. */
function timedJobs() {
  const { service } = messages;
  const jobs = {
    sweep: service.get(SweepContent),
    statistics: service.get(PruneStatistics),
    usage: service.get(FoldUsage),
    fold: service.get(FoldStatistics),
  };
  return [
    ['sweep-content', vi.spyOn(jobs.sweep, 'sweep'), () => jobs.sweep.run(never)],
    ['prune-statistics', vi.spyOn(jobs.statistics, 'prune'), () => jobs.statistics.run(never)],
    ['fold-usage', vi.spyOn(jobs.usage, 'fold'), () => jobs.usage.run(never)],
    ['fold-statistics', vi.spyOn(service.get(RollUpStatistics), 'rollUp'), () => jobs.fold.fold(never)],
  ] as const;
}

it.each([-400, 400])(
  'jobs that compare times with rows go by the clock of the database: ours differs by %i days',
  async (days) => {
    const today = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: today + days * DAY_MS });
    for (const [name, timed, run] of timedJobs()) {
      timed.mockResolvedValue(undefined);
      await run();
      const given = timed.mock.calls.at(-1)?.[0].getTime() ?? 0;
      expect(Math.abs(given - today) / DAY_MS, name).toBeLessThan(1);
    }
  },
);
