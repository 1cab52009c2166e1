import { Module } from '@nestjs/common';
import { AccountStatesModule } from '../account-states/account-states.module.js';
import { AttemptModule } from '../attempt/attempt.module.js';
import { RecordModule } from '../record/record.module.js';
import { ShapingModule } from '../shaping/shaping.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { DeliveryBacklog } from './delivery-backlog.js';
import { DeliveryQueue } from './delivery-queue.js';
import { FactsAtStart } from './facts-at-start.js';

/** The deliveries that are due, claimed and attempted. */
@Module({
  imports: [AccountStatesModule, AttemptModule, RecordModule, ShapingModule, SuppressionsModule],
  providers: [DeliveryQueue, DeliveryBacklog, FactsAtStart],
  exports: [DeliveryQueue],
})
export class QueueModule {}
