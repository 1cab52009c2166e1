const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
// A failure may ask for more, but a group must not sleep for as long as a stranger says.
const LONGEST_ASKED_MS = 30_000;

/**
 * The pause before a batch is delivered again.
 * @param failures how often it has failed in a row, from 1
 * @param askedMs what the failure itself asked for (`Transient.retryAfterMs`)
 */
export function redeliveryPauseMs(failures: number, askedMs = 0): number {
  const growing = FIRST_PAUSE_MS * 2 ** Math.min(Math.max(failures, 1) - 1, 10);
  return Math.max(Math.min(growing, LONGEST_PAUSE_MS), Math.min(askedMs, LONGEST_ASKED_MS));
}
