import type { Settings } from '@postmesh/settings';

// What the longest steps of a stop take: a handler of events 8 s at most, the grace beside it, leaving and closing.
const MIN_STOP_S = 10;
const GRACE_SHARE = 0.45;
// The process ends by itself before its supervisor kills it.
const MARGIN_MS = 1_000;

/** Whether the process has been told to end. Until its listeners are closed it still takes what comes. */
export class Drain {
  private begun = false;

  get hasBegun(): boolean {
    return this.begun;
  }

  /** From now on it is not ready, and asks clients to use their connections no more. */
  begin(): void {
    this.begun = true;
  }
}

/** How the time is divided that a supervisor gives between SIGTERM and SIGKILL, ms. */
export interface StopTimes {
  /** not ready, and everything is taken all the same: until whoever balances the load has seen it */
  readonly drainMs: number;
  /** for what is with a remote, and for requests under way */
  readonly graceMs: number;
  /** for the stop as a whole, after the drain */
  readonly stopMs: number;
}

/** @throws Error that names the setting when the drain leaves too little for the stop */
export function stopTimes({
  drainSeconds,
  terminationGraceSeconds,
}: Pick<Settings, 'drainSeconds' | 'terminationGraceSeconds'>): StopTimes {
  const leftMs = (terminationGraceSeconds - drainSeconds) * 1_000;
  if (leftMs < MIN_STOP_S * 1_000)
    throw new Error(
      `POSTMESH_DRAIN_SECONDS: ${drainSeconds} leaves less than ${MIN_STOP_S} of the ` +
        `${terminationGraceSeconds} s of POSTMESH_TERMINATION_GRACE_SECONDS`,
    );
  return { drainMs: drainSeconds * 1_000, graceMs: leftMs * GRACE_SHARE, stopMs: leftMs - MARGIN_MS };
}
