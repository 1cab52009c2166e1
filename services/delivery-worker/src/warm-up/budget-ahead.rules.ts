import {
  budgetOf,
  bulkPart,
  dayPassed,
  hourPassed,
  nextStage,
  type StageResults,
  type WarmUpSchedule,
} from './warm-up.rules.js';

/** The budget of a source with a provider, as a forecast runs it ahead. */
export interface BudgetAhead {
  readonly schedule: WarmUpSchedule;
  /** of the stage; `dayUsed` is of today */
  readonly results: StageResults;
  readonly hourUsed: number;
  /** messages were put off in this hour: what waits comes back in the next one */
  readonly isSpent: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Messages that may leave in this hour from now on.
 * @param singles single messages that are due: bulk leaves a part to them
 */
export function leftOf({ schedule, results, hourUsed, isSpent }: BudgetAhead, singles: number, now: number) {
  const budget = budgetOf(schedule, results.stage);
  if (budget === undefined) return Number.POSITIVE_INFINITY;
  if (isSpent) return 0;
  const { dayUsed } = results;
  const all = Math.min(budget.day - dayUsed, budget.hour - hourUsed);
  const forBulk = Math.min(
    bulkPart(budget.day, dayPassed(now)) - dayUsed,
    bulkPart(budget.hour, hourPassed(now)) - hourUsed,
  );
  return Math.max(0, forBulk, Math.min(singles, all));
}

/** Messages were sent, and delivered. */
export const usedBy = (budget: BudgetAhead, messages: number): BudgetAhead => ({
  ...budget,
  hourUsed: budget.hourUsed + messages,
  results: {
    ...budget.results,
    dayUsed: budget.results.dayUsed + messages,
    delivered: budget.results.delivered + messages,
  },
});

/** At the end of an hour it opens again, and a new day may begin with another stage. */
export function openedAt(budget: BudgetAhead, from: number, to: number): BudgetAhead {
  if (Math.floor(from / HOUR_MS) === Math.floor(to / HOUR_MS)) return budget;
  const opened = { ...budget, hourUsed: 0, isSpent: false };
  if (Math.floor(from / DAY_MS) === Math.floor(to / DAY_MS)) return opened;
  const stage = nextStage(budget.results, budget.schedule);
  return { ...opened, results: { ...NOTHING, stage } };
}

export const untilNextHour = (now: number): number => HOUR_MS - (now % HOUR_MS);

/** The results of a stage that begins. */
export const NOTHING: Omit<StageResults, 'stage'> = {
  ...{ dayUsed: 0, delivered: 0, deferred: 0, refused: 0, complaints: 0, signals: 0 },
};
