export interface Pass {
  /** of its row in `republish_passes` */
  name: string;
  /** age of the checked messages */
  ageSeconds: number;
}

/** An open message is checked soon, then at growing intervals while it may be open. */
export const PASSES: readonly Pass[] = [
  ...[5, 20].map((minutes) => ({ name: `${minutes} minutes`, ageSeconds: minutes * 60 })),
  ...[1, 3, 8].map((hours) => ({ name: `${hours} hours`, ageSeconds: hours * 3_600 })),
  // older ones are not published again (OpenMessages.announced)
  ...[1, 2, 3, 4, 5, 6].map((days) => ({ name: `${days} days`, ageSeconds: days * 86_400 })),
];

// A span contains finished messages too: its length suits a busy system, and grows where few messages are open.
const FIRST_SPAN_MS = 10_000;
const LONGEST_SPAN_MS = 600_000;

/** The length of the next span. @param wasFull the last one had a full batch of open messages */
export const nextSpanMs = (spanMs: number | undefined, wasFull: boolean): number =>
  spanMs === undefined || wasFull ? FIRST_SPAN_MS : Math.min(spanMs * 2, LONGEST_SPAN_MS);

// Clocks of processes and of the database differ, and a commit is later than the times in its rows.
const COMMITTED_WITHIN_MS = 120_000;

/**
 * The time of acceptance before which all events had left the outbox.
 * @param oldestUnpublished the time of the oldest event in it
 */
export const publishedUntil = (now: Date, oldestUnpublished: Date | undefined): Date =>
  new Date(Math.min(now.getTime(), oldestUnpublished?.getTime() ?? Infinity) - COMMITTED_WITHIN_MS);
