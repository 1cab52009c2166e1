import { Module } from '@nestjs/common';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { BounceCounts } from './bounce-counts.js';
import { BounceFiguresController } from './bounce-figures.controller.js';
import { CountersRepository } from './counters.repository.js';
import { FoldStatistics } from './fold-statistics.js';
import { GroupedCounters } from './grouped-counters.js';
import { GiveBounceFigures } from './give-bounce-figures.js';
import { PruneStatistics } from './prune-statistics.js';
import { ReadGroups } from './read-groups.js';
import { ReadOverview } from './read-overview.js';
import { ReadStatistics } from './read-statistics.js';
import { RollUpStatistics } from './roll-up-statistics.js';
import { StatisticsController } from './statistics.controller.js';

/** Statistics of messages: other folders write facts; this one sums them up and reads them. */
@Module({
  imports: [DomainChangesModule],
  controllers: [StatisticsController, BounceFiguresController],
  exports: [CountersRepository, GroupedCounters],
  providers: [
    BounceCounts,
    CountersRepository,
    FoldStatistics,
    GiveBounceFigures,
    GroupedCounters,
    PruneStatistics,
    ReadGroups,
    ReadOverview,
    ReadStatistics,
    RollUpStatistics,
  ],
})
export class StatisticsModule {}
