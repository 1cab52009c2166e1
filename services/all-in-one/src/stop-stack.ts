import { withTimeout } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';

/** @param leftMs how long it may take */
type Stop = (leftMs: number) => Promise<void>;

// Below the 9 s after which the process ends even with running work (`stopOnSignal`).
const ALL_MS = 8_700;
// Reserved for the last parts: PostgreSQL, which would outlive this process, and the pid file.
const LAST_MS = 2_000;

/**
 * Stops parts in the reverse order of their start. A stop that fails, or exceeds its time, does not prevent the stops
 * of other parts. Leases recover interrupted work.
 */
export class StopStack {
  private readonly stops: { what: string; stop: Stop; isLast: boolean }[] = [];
  private running: Promise<void> | undefined;
  private announce: (() => Promise<void>) | undefined;

  constructor(private readonly logger: () => Logger | undefined) {}

  /** Runs before the first stop, outside of its time. */
  first(announce: () => Promise<void>): void {
    this.announce = announce;
  }

  push(what: string, stop: Stop): void {
    this.stops.push({ what, stop, isLast: false });
  }

  /** Gets its time even when other stops exceed theirs, because this part must not outlive the process. */
  pushLast(what: string, stop: Stop): void {
    this.stops.push({ what, stop, isLast: true });
  }

  /** Parts that stop at the same time: each may take seconds, and all of them have ten. */
  together(what: string): (stop: Stop) => void {
    const stops: Stop[] = [];
    this.push(what, async (leftMs) => {
      const ended = await Promise.allSettled(stops.map((stop) => stop(leftMs)));
      const failed = ended.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    });
    return (stop) => stops.push(stop);
  }

  run(): Promise<void> {
    this.running ??= this.stopAll();
    return this.running;
  }

  private async stopAll(): Promise<void> {
    await this.announce?.().catch(() => undefined);
    const begun = performance.now();
    for (const { what, stop, isLast } of this.stops.reverse()) {
      const leftMs = Math.max(0, begun + ALL_MS - (isLast ? 0 : LAST_MS) - performance.now());
      try {
        await withTimeout(stop(leftMs), leftMs, `stopping ${what}`);
      } catch (error) {
        this.logger()?.error(
          { event: 'stop.failed', err: error, part: what },
          'stopping a part failed, continuing',
        );
      }
    }
  }
}
