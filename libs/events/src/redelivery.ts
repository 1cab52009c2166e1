import { backoffMs, type Signal } from '@postmesh/concurrency';
import { failureKind, Transient } from '@postmesh/contracts';
import type { BusLogger } from './event-bus.port.js';

const BACKOFF = { firstMs: 200, maxMs: 5_000 };
// A failure may request a longer pause, but a value from outside must not stop a group for long.
const MAX_ASKED_MS = 30_000;

/**
 * The pause before a batch is delivered again.
 * @param failures how often it has failed in a row, from 1
 * @param askedMs the pause that the failure itself requests (`Transient.retryAfterMs`)
 */
export function redeliveryPauseMs(failures: number, askedMs = 0): number {
  return Math.max(backoffMs(Math.max(failures, 1), BACKOFF), Math.min(askedMs, MAX_ASKED_MS));
}

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
   * Logs the failure and waits; a raised signal ends the wait early only when `isDisturbed`, so that new events do
   * not turn a pause into a hot loop.
   */
  async pauseAfter(error: unknown, signal: Signal, isDisturbed: () => boolean): Promise<void> {
    this.failures += 1;
    const { group, failures } = this;
    const pauseMs = redeliveryPauseMs(failures, error instanceof Transient ? error.retryAfterMs : undefined);
    this.logger.warn(
      { event: 'batch.failed', err: error, kind: failureKind(error), group, failures, pause_ms: pauseMs },
      'event bus: batch will be delivered again',
    );
    const end = performance.now() + pauseMs;
    while (!isDisturbed() && performance.now() < end) await signal.wait(end - performance.now());
  }
}
