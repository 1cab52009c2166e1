import { failureKind, Transient } from '@postmesh/contracts';
import { redeliveryPauseMs } from './backoff.rules.js';
import type { BusLogger } from './bus-logger.js';
import type { Signal } from './signal.js';

/** The growing pauses between two deliveries of what keeps failing. */
export class Redelivery {
  private failures = 0;

  constructor(
    private readonly group: string,
    private readonly logger: BusLogger,
  ) {}

  succeeded(): void {
    this.failures = 0;
  }

  /**
   * Says what failed and waits; a raised signal ends the wait early only when `isDisturbed`, so that new events do not
   * turn a pause into a hot loop.
   */
  async pauseAfter(error: unknown, signal: Signal, isDisturbed: () => boolean): Promise<void> {
    this.failures += 1;
    const { group, failures } = this;
    const pauseMs = redeliveryPauseMs(failures, error instanceof Transient ? error.retryAfterMs : undefined);
    const about = { err: error, kind: failureKind(error), group, failures, pause_ms: pauseMs };
    this.logger.warn(about, 'event bus: will deliver again');
    const end = Date.now() + pauseMs;
    while (!isDisturbed() && Date.now() < end) await signal.wait(end - Date.now());
  }
}
