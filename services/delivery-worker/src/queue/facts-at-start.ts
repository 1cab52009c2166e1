import { Injectable } from '@nestjs/common';
import { StatesAtStart } from '../account-states/states-at-start.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { ShapingSync } from '../shaping/shaping-sync.js';
import { ReadSuppressions } from '../suppressions/read-suppressions.js';

/** Facts that are needed before the first claim: account states, suppressions, suspended groups. */
@Injectable()
export class FactsAtStart {
  constructor(
    private readonly states: StatesAtStart,
    private readonly suppressions: ReadSuppressions,
    private readonly shaping: ShapingSync,
    /** the limits of claims */
    readonly limits: ShapingLimits,
  ) {}

  async learn(stopping: AbortSignal): Promise<void> {
    await Promise.all([
      this.states.learn(stopping),
      this.suppressions.complete(stopping),
      this.shaping.learn(stopping),
    ]);
  }
}
