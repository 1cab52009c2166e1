/**
 * Work that begins at a word and otherwise waits for its schedule: one run at a time in this process; words that come
 * during a run are answered by one more. What a run cannot do is left to the schedule.
 */
export class RunOnWord {
  private readonly ending = new AbortController();
  private turn: Promise<void> = Promise.resolve();
  private asked = false;

  /**
   * @param run does all there is to do; its signal is aborted when the process ends
   * @param onTrouble hears what a run threw
   */
  constructor(
    private readonly run: (signal: AbortSignal) => Promise<void>,
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  /** There may be something to do. Returns at once. */
  ask(): void {
    if (this.asked || this.ending.signal.aborted) return;
    this.asked = true;
    this.turn = this.turn.then(async () => {
      this.asked = false;
      if (!this.ending.signal.aborted) await this.run(this.ending.signal).catch(this.onTrouble);
    });
  }

  /** Resolves when everything that was asked for until now has been tried. */
  settled(): Promise<void> {
    return this.turn;
  }

  /** Begins nothing more. Resolves when the run under way has ended. */
  end(): Promise<void> {
    this.ending.abort();
    return this.turn;
  }
}
