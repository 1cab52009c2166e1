const DAY_MS = 86_400_000;

/** The partition of one UTC day. */
export interface DayPartition {
  readonly name: string;
  /** `2026-01-05` */
  readonly day: string;
  readonly nextDay: string;
}

export function partitionOf(table: string, at: Date): DayPartition {
  const day = dayOf(at.getTime());
  return { name: `${table}_${day.replaceAll('-', '')}`, day, nextDay: dayOf(at.getTime() + DAY_MS) };
}

/** The partitions that must exist: yesterday's, for late rows, today's and the next ones. */
export const partitionsAround = (table: string, now: Date, ahead: number): DayPartition[] =>
  Array.from({ length: ahead + 2 }, (_, nth) =>
    partitionOf(table, new Date(now.getTime() + (nth - 1) * DAY_MS)),
  );

/** @returns whether the whole day is more than `days` days ago; false for a table that is no day's partition */
export function isOver(name: string, table: string, now: Date, days: number): boolean {
  const [, date] = new RegExp(`^${table}_(\\d{8})$`).exec(name) ?? [];
  if (date === undefined) return false;
  const oldest = dayOf(now.getTime() - days * DAY_MS).replaceAll('-', '');
  return date < oldest;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
