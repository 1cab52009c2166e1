import { PollPace } from './poll-pace.js';

/**
 * A task that runs when it is triggered: one run at a time in this process, and one more for all triggers that come
 * during a run. A periodic trigger is its fallback for what a run could not do, or what no trigger announced.
 */
export class DebouncedTask {
  private readonly stopping = new AbortController();
  private last: Promise<void> = Promise.resolve();
  private triggered = false;
  private pace: PollPace | undefined;
  private timer: NodeJS.Timeout | undefined;
  private timerAt = Number.POSITIVE_INFINITY;

  /**
   * @param run does all there is to do; its signal is aborted at `stop`.
   *   Returns false where there was nothing to do: see `every`
   * @param onError gets what a run threw
   */
  constructor(
    private readonly run: (signal: AbortSignal) => Promise<void | boolean>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** There may be something to do. Returns at once. */
  trigger(): void {
    if (this.triggered || this.stopping.signal.aborted) return;
    this.triggered = true;
    this.last = this.last.then(async () => {
      this.triggered = false;
      if (!this.stopping.signal.aborted) await this.runOnce();
    });
  }

  /** There will be something to do in this time: it is triggered then at the latest, and polls at its first interval. */
  triggerIn(ms: number): void {
    this.pace?.quicken();
    this.waitAtMost(ms);
  }

  /**
   * Triggers it again and again, until `stop`: this long after each run, and after runs that found nothing twice as long
   * each time, up to `idleMs`. Does not keep the process alive.
   * @param idleMs default: no longer
   */
  every(ms: number, idleMs: number = ms): void {
    this.pace = new PollPace(ms, idleMs);
    this.wait(this.pace.next());
  }

  /** Resolves when the runs for all triggers until now have ended. */
  settled(): Promise<void> {
    return this.last;
  }

  /** Begins no more runs. Resolves when the one in flight has ended. */
  stop(): Promise<void> {
    clearTimeout(this.timer);
    this.stopping.abort();
    return this.last;
  }

  private async runOnce(): Promise<void> {
    // what a run learns of later work may come before the next poll
    this.clear();
    let found: void | boolean = true;
    try {
      found = await this.run(this.stopping.signal);
    } catch (error) {
      this.onError(error);
    }
    if (this.pace === undefined) return;
    if (found !== false) this.pace.quicken();
    this.waitAtMost(this.pace.next());
  }

  private waitAtMost(ms: number): void {
    if (performance.now() + ms < this.timerAt) this.wait(ms);
  }

  private wait(ms: number): void {
    this.clear();
    if (this.stopping.signal.aborted) return;
    this.timerAt = performance.now() + ms;
    this.timer = setTimeout(() => {
      this.clear();
      this.trigger();
    }, ms).unref();
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.timerAt = Number.POSITIVE_INFINITY;
  }
}
