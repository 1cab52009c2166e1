import type { Settings } from '@postmesh/settings';

// The longest steps of a stop: a handler of events takes 8 s at most, with the grace at the same time, then closing.
const MIN_STOP_S = 10;
const GRACE_SHARE = 0.45;
// The process exits before its supervisor kills it.
const MARGIN_MS = 1_000;

/** Whether the process is shutting down. It accepts requests until its listeners are closed. */
export class Drain {
  private begun = false;

  get hasBegun(): boolean {
    return this.begun;
  }

  /** From now on the process is not ready, and asks clients to close their connections. */
  begin(): void {
    this.begun = true;
  }
}

/** Division of the time that a supervisor grants between SIGTERM and SIGKILL, ms. */
export interface StopTimes {
  /** not ready, but requests are still accepted: until the load balancer has noticed */
  readonly drainMs: number;
  /** for running remote calls and requests */
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
