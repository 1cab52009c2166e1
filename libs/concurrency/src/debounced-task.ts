/**
 * A task that runs when it is triggered: one run at a time in this process, and one more for all triggers that come
 * during a run. A periodic trigger is its fallback for what a run could not do.
 */
export class DebouncedTask {
  private readonly stopping = new AbortController();
  private last: Promise<void> = Promise.resolve();
  private triggered = false;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param run does all there is to do; its signal is aborted at `stop`
   * @param onError gets what a run threw
   */
  constructor(
    private readonly run: (signal: AbortSignal) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** There may be something to do. Returns at once. */
  trigger(): void {
    if (this.triggered || this.stopping.signal.aborted) return;
    this.triggered = true;
    this.last = this.last.then(async () => {
      this.triggered = false;
      if (!this.stopping.signal.aborted) await this.run(this.stopping.signal).catch(this.onError);
    });
  }

  /** Triggers it again and again, until `stop`. Does not keep the process alive. */
  every(ms: number): void {
    this.timer = setInterval(() => this.trigger(), ms).unref();
  }

  /** Resolves when the runs for all triggers until now have ended. */
  settled(): Promise<void> {
    return this.last;
  }

  /** Begins no more runs. Resolves when the one in flight has ended. */
  stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    return this.last;
  }
}
