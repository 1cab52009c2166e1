import { TemplateError, TimeExceeded } from './template-error.js';

/** What rendering one part may take (spec 2-messages §4 rule 1). */
export interface Limits {
  readonly loopSteps: number;
  readonly ms: number;
  readonly outputBytes: number;
  /** characters that are made on the way, and list items at ITEM_UNITS each: bounds memory, whatever lives how long */
  readonly madeUnits: number;
}

export const LIMITS: Limits = {
  loopSteps: 100_000,
  ms: 1_000,
  outputBytes: 20 * 1024 * 1024,
  madeUnits: 32 * 1024 * 1024,
};

/** What a list item counts, in characters. */
export const ITEM_UNITS = 8;
/** Work between two looks at the clock: under a millisecond. */
const WORK_PER_LOOK = 16_384;

/** Counts what rendering one part takes. Each method throws TemplateError where a limit is passed. */
export class Meter {
  private steps = 0;
  private made = 0;
  private written = 0;
  private untilLook = WORK_PER_LOOK;
  private readonly deadline: number;

  constructor(private readonly limits: Limits) {
    this.deadline = performance.now() + limits.ms;
  }

  /** One turn of a loop. */
  step(): void {
    this.steps += 1;
    if (this.steps > this.limits.loopSteps) {
      throw new TemplateError(`more than ${this.limits.loopSteps} loop steps`);
    }
    this.work(1);
  }

  /** @param units about as much as looking at that many characters */
  work(units: number): void {
    this.untilLook -= units;
    if (this.untilLook > 0) return;
    this.untilLook = WORK_PER_LOOK;
    if (performance.now() > this.deadline) {
      throw new TimeExceeded(`rendering takes longer than ${this.limits.ms / 1_000} s`);
    }
  }

  /** Is asked before so much is made. */
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
