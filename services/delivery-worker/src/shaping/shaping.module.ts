import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { WaysModule } from '../ways/ways.module.js';
import { NarrowSuspensions } from './narrow-suspensions.js';
import { PruneShaping } from './prune-shaping.js';
import { PROVIDERS_IN_FORCE, SHAPING_PROVIDERS } from './read-providers.js';
import { ShapingChanges } from './shaping-changes.js';
import { ShapingClock } from './shaping-clock.js';
import { ShapingLimits } from './shaping-limits.js';
import { ShapingLog } from './shaping-log.js';
import { ShapingMemory } from './shaping-memory.js';
import { ShapingRows } from './shaping-rows.js';
import { ShapingSync } from './shaping-sync.js';

/** Limits and suspensions of MX groups, shared by all workers. */
@Module({
  imports: [DatabaseClockModule, WaysModule],
  providers: [
    PROVIDERS_IN_FORCE,
    ShapingRows,
    ShapingMemory,
    ShapingChanges,
    NarrowSuspensions,
    ShapingClock,
    ShapingLog,
    ShapingLimits,
    ShapingSync,
    PruneShaping,
  ],
  exports: [
    SHAPING_PROVIDERS,
    ShapingRows,
    ShapingMemory,
    ShapingChanges,
    NarrowSuspensions,
    ShapingClock,
    ShapingLimits,
    ShapingSync,
  ],
})
export class ShapingModule {}
