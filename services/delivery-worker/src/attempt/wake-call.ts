/** Rests that a word can end. A word said before the rest, or in the middle of a deaf one, is not lost. */
export class WakeCall {
  private called = false;
  private stopped = false;
  private end: (() => void) | undefined;

  /** Somebody called since the last `clear`. */
  get pending(): boolean {
    return this.called;
  }

  /** What was called for is being done now. */
  clear(): void {
    this.called = false;
  }

  call(): void {
    this.called = true;
    this.end?.();
  }

  /** No rest lasts any more. */
  stop(): void {
    this.stopped = true;
    this.call();
  }

  /** @returns after this time or a call, whichever comes first */
  rest(ms: number): Promise<void> {
    return this.pause(ms, () => this.called || this.stopped);
  }

  /** @returns after this time, however often it is called; a stop ends it */
  gather(ms: number): Promise<void> {
    return this.pause(ms, () => this.stopped);
  }

  private pause(ms: number, isOver: () => boolean): Promise<void> {
    if (isOver()) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.end = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.end = () => {
        if (isOver()) done();
      };
    });
  }
}
