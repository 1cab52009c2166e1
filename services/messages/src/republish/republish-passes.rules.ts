export interface Pass {
  /** of its row in `republish_passes` */
  name: string;
  /** of the messages that it looks at */
  ageSeconds: number;
}

/** A message that is still open is looked at soon, then ever more rarely, for as long as it may be open. */
export const PASSES: readonly Pass[] = [
  ...[5, 20].map((minutes) => ({ name: `${minutes} minutes`, ageSeconds: minutes * 60 })),
  ...[1, 3, 8].map((hours) => ({ name: `${hours} hours`, ageSeconds: hours * 3_600 })),
  // older ones are not published again (OpenMessages.announced)
  ...[1, 2, 3, 4, 5, 6].map((days) => ({ name: `${days} days`, ageSeconds: days * 86_400 })),
];

// Finished messages are read with the open ones: a span is that of a busy system, and grows where little is open.
const FIRST_SPAN_MS = 10_000;
const LONGEST_SPAN_MS = 600_000;

/** The span of time that is read next. @param wasFull the last one held as many open messages as are taken at once */
export const nextSpanMs = (spanMs: number | undefined, wasFull: boolean): number =>
  spanMs === undefined || wasFull ? FIRST_SPAN_MS : Math.min(spanMs * 2, LONGEST_SPAN_MS);

// Clocks of processes and of the database differ, and a commit comes after the time that its rows tell.
const COMMITTED_WITHIN_MS = 120_000;

/**
 * Before which acceptance all events had left the outbox.
 * @param oldestUnpublished when the oldest event in it was written
 */
export const publishedUntil = (now: Date, oldestUnpublished: Date | undefined): Date =>
  new Date(Math.min(now.getTime(), oldestUnpublished?.getTime() ?? Infinity) - COMMITTED_WITHIN_MS);
