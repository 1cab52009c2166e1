import { Injectable } from '@nestjs/common';
import { StatesAtStart } from '../account-changes/states-at-start.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { ReadSuppressions } from '../suppressions/read-suppressions.js';

/** What must be known before the first claim: whose mail is held, and which recipients are suppressed. */
@Injectable()
export class FactsAtStart {
  constructor(
    private readonly states: StatesAtStart,
    private readonly suppressions: ReadSuppressions,
    /** what may be claimed */
    readonly limits: ShapingLimits,
  ) {}

  async learn(stopping: AbortSignal): Promise<void> {
    await Promise.all([this.states.learn(stopping), this.suppressions.complete(stopping)]);
  }
}
