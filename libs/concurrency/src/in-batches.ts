/** The bounds of a run of batches. The rest is for the next run. */
export interface BatchLimits {
  /** a smaller batch was the last */
  readonly size: number;
  /** most batches of one run; without it, until nothing is left: what removes rows keeps up with whatever adds them */
  readonly max?: number;
  readonly signal: AbortSignal;
}

/**
 * Repeats a bounded step, each with a transaction of its own, until it finds less than a whole batch.
 * @param step does one batch. @returns how many items it found
 * @returns whether nothing is left; false when the limit was reached or the signal ended the run
 */
export async function inBatches(
  step: () => Promise<number>,
  { size, max = Number.POSITIVE_INFINITY, signal }: BatchLimits,
): Promise<boolean> {
  for (let batch = 0; batch < max && !signal.aborted; batch++) {
    if ((await step()) < size) return true;
  }
  return false;
}
