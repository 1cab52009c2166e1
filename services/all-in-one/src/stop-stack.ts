import type { Logger } from '@postmesh/observability';

type Stop = () => Promise<void>;

/** What was started is stopped in the opposite order; one stop that fails does not keep the others from it. */
export class StopStack {
  private readonly stops: { what: string; stop: Stop }[] = [];
  private running: Promise<void> | undefined;
  private announce: Stop | undefined;

  constructor(private readonly logger: () => Logger | undefined) {}

  /** Done before anything is stopped. */
  first(announce: Stop): void {
    this.announce = announce;
  }

  push(what: string, stop: Stop): void {
    this.stops.push({ what, stop });
  }

  /** Parts that are stopped at the same time: each may take seconds, and all of them have ten. */
  together(what: string): (stop: Stop) => void {
    const stops: Stop[] = [];
    this.push(what, async () => {
      const ended = await Promise.allSettled(stops.map((stop) => stop()));
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
    for (const { what, stop } of this.stops.reverse()) {
      try {
        await stop();
      } catch (error) {
        this.logger()?.error({ event: 'stop.failed', err: error, part: what }, 'part not stopped');
      }
    }
  }
}
