import { Injectable } from '@nestjs/common';
import { lift } from '../shaping/learning.rules.js';
import { NarrowSuspensions } from '../shaping/narrow-suspensions.js';
import { ShapingChanges } from '../shaping/shaping-changes.js';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { ShapingMemory } from '../shaping/shaping-memory.js';
import { ShapingRows } from '../shaping/shaping-rows.js';

/**
 * Lifts all suspensions of a group, from every source and of every sender: an operator has settled it with the
 * provider.
 */
@Injectable()
export class ResumeGroup {
  constructor(
    private readonly memory: ShapingMemory,
    private readonly changes: ShapingChanges,
    private readonly narrowed: NarrowSuspensions,
    private readonly rows: ShapingRows,
    private readonly clock: ShapingClock,
  ) {}

  /** @returns how many suspensions there were */
  async execute(groupKey: string): Promise<number> {
    const now = this.clock.now();
    const groups = this.memory.all().filter(({ key }) => key.groupKey === groupKey);
    const lifted = groups.filter((group) => this.changes.apply(group, (state) => lift(state, now)));
    await this.changes.settled();
    const narrow = await this.rows.liftSuspensions(groupKey);
    this.narrowed.replace([], [groupKey]);
    return lifted.length + narrow;
  }
}
