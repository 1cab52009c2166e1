/** The levels of counters, coarsest first: the rows of a level are sums over that unit. */
const LEVELS = ['month', 'day', 'hour'] as const;
export type Level = (typeof LEVELS)[number];

export const GROUPINGS = ['hour', 'day', 'week', 'month'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** From inclusive, to exclusive. */
export interface TimeRange {
  from: Date;
  to: Date;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
const MAX_BUCKETS = 1_000;
/** Single facts are kept this long, for the edges of ranges that begin or end within an hour. */
export const HISTORY_DAYS = 35;

/** The bucket's beginning at or before a time, UTC (spec 1-platform §15 rule 1). */
export function startOf(unit: Grouping, time: Date): Date {
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  if (unit === 'hour') return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);
  if (unit === 'day') return utc(year, month, day);
  if (unit === 'month') return utc(year, month, 1);
  const sinceMonday = (time.getUTCDay() + 6) % 7;
  return utc(year, month, day - sinceMonday);
}

/** @param start of a bucket */
function endOf(unit: Grouping, start: Date): Date {
  if (unit === 'month') return utc(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
  const lengths = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };
  return new Date(start.getTime() + lengths[unit]);
}

/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999. */
function utc(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date;
}

const ceiling = (unit: Grouping, time: Date): Date => {
  const start = startOf(unit, time);
  return start < time ? endOf(unit, start) : start;
};

/**
 * Every bucket that overlaps the range, ascending, with its natural bounds (spec 1-platform §15 rules 1 and 2).
 * @returns undefined when there are more than `MAX_BUCKETS`
 */
export function bucketsOf({ from, to }: TimeRange, grouping: Grouping): TimeRange[] | undefined {
  const buckets: TimeRange[] = [];
  for (let start = startOf(grouping, from); start < to; start = endOf(grouping, start)) {
    if (buckets.length === MAX_BUCKETS) return undefined;
    buckets.push({ from: start, to: endOf(grouping, start) });
  }
  return buckets;
}

/** The rows with the figures of a range: whole hours, days and months in counters, the edges in single facts. */
export interface ReadPlan {
  counters: (TimeRange & { level: Level })[];
  facts: TimeRange[];
}

/** The time up to which the rows of a level are complete. */
export type CompleteUntil = Readonly<Record<Exclude<Level, 'hour'>, Date>>;

/**
 * Covers a range with as few rows as its grouping allows. After the retention of single facts an hour counts as a
 * whole when it begins inside the range.
 */
export function planRead(
  range: TimeRange,
  grouping: Grouping,
  known: { completeUntil: CompleteUntil; now: Date },
): ReadPlan {
  const plan: ReadPlan = { counters: [], facts: [] };
  const levels = LEVELS.slice(grouping === 'month' ? 0 : grouping === 'hour' ? 2 : 1);
  cover(range, levels, { ...known, plan });
  return plan;
}

interface Cover {
  plan: ReadPlan;
  completeUntil: CompleteUntil;
  now: Date;
}

function cover({ from, to }: TimeRange, levels: readonly Level[], about: Cover): void {
  if (from >= to) return;
  const [level, ...finer] = levels;
  if (level === undefined) return coverEdge({ from, to }, about);
  const until = level === 'hour' ? to : new Date(Math.min(+to, +about.completeUntil[level]));
  const [start, end] = [ceiling(level, from), startOf(level, until)];
  if (start > end) return cover({ from, to }, finer, about);
  cover({ from, to: start }, finer, about);
  if (start < end) about.plan.counters.push({ level, from: start, to: end });
  cover({ from: end, to }, finer, about);
}

/** Part of one hour. */
function coverEdge({ from, to }: TimeRange, { plan, now }: Cover): void {
  const isKept = from.getTime() >= now.getTime() - (HISTORY_DAYS - 1) * DAY_MS;
  const begins = startOf('hour', from).getTime() === from.getTime();
  if (isKept) plan.facts.push({ from, to });
  else if (begins) plan.counters.push({ level: 'hour', from, to: endOf('hour', from) });
}
