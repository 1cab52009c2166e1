import type { Logger } from '@postmesh/observability';

type Stop = () => Promise<void>;

/** What was started is stopped in the opposite order; one stop that fails does not keep the others from it. */
export class StopStack {
  private readonly stops: { what: string; stop: Stop }[] = [];
  private running: Promise<void> | undefined;

  constructor(private readonly logger: () => Logger | undefined) {}

  push(what: string, stop: Stop): void {
    this.stops.push({ what, stop });
  }

  run(): Promise<void> {
    this.running ??= this.stopAll();
    return this.running;
  }

  private async stopAll(): Promise<void> {
    for (const { what, stop } of this.stops.reverse()) {
      try {
        await stop();
      } catch (error) {
        this.logger()?.error({ err: error, part: what }, 'stopping failed');
      }
    }
  }
}
