import { TemplateError, TimeExceeded } from './template-error.js';

/** The limits of rendering one part (spec 2-messages §4 rule 1). */
export interface Limits {
  readonly loopSteps: number;
  readonly ms: number;
  readonly outputBytes: number;
  /**
   * characters that are made on the way, and list items at ITEM_UNITS each: bounds memory, whatever the lifetime of
   * each
   */
  readonly madeUnits: number;
}

export const LIMITS: Limits = {
  loopSteps: 100_000,
  ms: 1_000,
  outputBytes: 20 * 1024 * 1024,
  madeUnits: 32 * 1024 * 1024,
};

/** The weight of a list item, in characters. */
export const ITEM_UNITS = 8;
/** Work between two checks of the clock: under a millisecond. */
const WORK_PER_LOOK = 16_384;

/** Counts the work of rendering one part. Each method throws TemplateError when a limit is exceeded. */
export class Meter {
  private steps = 0;
  private made = 0;
  private written = 0;
  private untilLook = WORK_PER_LOOK;
  private readonly deadline: number;

  constructor(private readonly limits: Limits) {
    this.deadline = performance.now() + limits.ms;
  }

  /** One iteration of a loop. */
  step(): void {
    this.steps += 1;
    if (this.steps > this.limits.loopSteps) {
      throw new TemplateError(`more than ${this.limits.loopSteps} loop steps`);
    }
    this.work(1);
  }

  /** @param units one is about the work of reading a character */
  work(units: number): void {
    this.untilLook -= units;
    if (this.untilLook > 0) return;
    this.untilLook = WORK_PER_LOOK;
    if (performance.now() > this.deadline) {
      throw new TimeExceeded(`rendering takes longer than ${this.limits.ms / 1_000} s`);
    }
  }

  /** Must be called before the characters are made. */
  make(units: number): void {
    this.made += units;
    if (!(this.made <= this.limits.madeUnits)) throw new TemplateError('rendering needs too much memory');
    this.work(units);
  }

  /** Characters of the result: no text has fewer bytes than characters. */
  write(characters: number): void {
    this.written += characters;
    if (this.written > this.limits.outputBytes) throw this.tooLong();
    this.work(characters);
  }

  tooLong(): TemplateError {
    return new TemplateError(`the result is larger than ${this.limits.outputBytes / 1024 / 1024} MiB`);
  }
}
