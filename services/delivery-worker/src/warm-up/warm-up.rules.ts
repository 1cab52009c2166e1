import { providerOfGroup } from '../mx/group-key.rules.js';

/** How the budget of a new address grows with one mailbox provider. */
export interface WarmUpSchedule {
  /** messages of the first day */
  readonly first: number;
  /** from stage to stage; below 2, as doubling is what providers name as a sudden spike */
  readonly growth: number;
  /** messages a day at which there is no budget any more */
  readonly full: number;
}

/** Days of use of a stage, and what the provider said meanwhile. */
export interface StageResults {
  readonly stage: number;
  /** messages of the last day on which it was used */
  readonly dayUsed: number;
  readonly delivered: number;
  /** replies that ask to come back later */
  readonly deferred: number;
  /** permanent replies */
  readonly refused: number;
  readonly complaints: number;
  /** shaping suspended the provider for the address */
  readonly signals: number;
}

export interface StageBudget {
  readonly day: number;
  readonly hour: number;
}

// A day's budget is used within eight hours at the earliest, so that a provider sees no burst.
const HOURS_OF_A_DAY = 8;
const MIN_USED = 0.5;
const MIN_DELIVERED = 0.95;
const MAX_DEFERRED = 0.1;
const FAR_TOO_MANY_DEFERRED = 0.25;
// With a suspension on the same day: fewer were met by a limit of pace, which shaping has learnt; from the second share on
// it was a block.
const FEW_DEFERRED = 0.005;
const SOME_DEFERRED = 0.02;
// Gmail and Yahoo ask for less than 0.1 % of complaints, and act from 0.3 % on.
const MAX_COMPLAINTS = 0.001;
const FAR_TOO_MANY_COMPLAINTS = 0.003;
// One complaint among few messages is no rate.
const COMPLAINTS_FROM = 2;

/** The part that is kept for single messages at the beginning of a day or an hour; it shrinks to nothing until the end. */
const RESERVED = 0.2;

/** @returns undefined when the address is warm */
export function budgetOf({ first, growth, full }: WarmUpSchedule, stage: number): StageBudget | undefined {
  const day = Math.ceil(first * growth ** stage);
  return day >= full ? undefined : { day, hour: Math.max(1, Math.ceil(day / HOURS_OF_A_DAY)) };
}

/** The stage of a new day, from the results of the one before. */
export function nextStage(results: StageResults, schedule: WarmUpSchedule): number {
  const { stage, dayUsed, delivered, deferred, refused, complaints, signals } = results;
  const tried = delivered + deferred + refused;
  const back = Math.max(0, stage - 1);
  const complained = complaints < COMPLAINTS_FROM ? 0 : complaints / Math.max(1, delivered);
  const budget = budgetOf(schedule, stage);
  if (complained >= FAR_TOO_MANY_COMPLAINTS) return back;
  if (signals > 0 && deferred > tried * FEW_DEFERRED) return deferred > tried * SOME_DEFERRED ? back : stage;
  if (tried > 0 && deferred / tried > FAR_TOO_MANY_DEFERRED) return back;
  if (budget === undefined) return stage;
  const isProven =
    dayUsed >= budget.day * MIN_USED &&
    complained < MAX_COMPLAINTS &&
    delivered >= tried * MIN_DELIVERED &&
    deferred <= tried * MAX_DEFERRED;
  return isProven ? stage + 1 : stage;
}

/** The part of a budget that bulk may use at this point of its time: single messages find a place until the end. */
export const bulkPart = (budget: number, passed: number): number =>
  Math.max(1, Math.floor(budget * (1 - RESERVED * (1 - passed))));

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const dayPassed = (now: number): number => (now % DAY_MS) / DAY_MS;
export const hourPassed = (now: number): number => (now % HOUR_MS) / HOUR_MS;

/**
 * When a message beyond the budget is tried again. Bulk is spread over the hours that its number needs, so that no hour
 * begins with all that waits.
 * @param before bulk messages that were put off in this hour already
 */
export function reopensAt(
  budget: StageBudget,
  { isDayOver, isBulk, before }: { isDayOver: boolean; isBulk: boolean; before: number },
  now: number,
): number {
  const [length, unit] = isDayOver ? [DAY_MS, budget.day] : [HOUR_MS, budget.hour];
  const next = now - (now % length) + length;
  const later = isBulk ? Math.floor(before / Math.max(1, Math.min(unit, budget.hour))) * HOUR_MS : 0;
  return next + Math.min(later, DAY_MS);
}

/** Budgets are per mailbox provider; other mail hosts have one each. */
export const budgetKey = (groupKey: string): string => {
  const provider = providerOfGroup(groupKey);
  return provider === undefined ? groupKey : `p:${provider}`;
};
