import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { ShapingModule } from '../shaping/shaping.module.js';
import { DeliveryController } from './delivery.controller.js';
import { GroupLimitsView } from './group-limits.view.js';
import { QueueController } from './queue.controller.js';
import { ResumeGroup } from './resume-group.js';

/** The queue, its deliveries and MX groups, for operators. */
@Module({
  imports: [DatabaseClockModule, ShapingModule],
  controllers: [DeliveryController, QueueController],
  providers: [GroupLimitsView, ResumeGroup],
})
export class OperatorModule {}
