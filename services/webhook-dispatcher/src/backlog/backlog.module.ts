import { Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { RecordModule } from '../record/record.module.js';
import { ReplayModule } from '../replay/replay.module.js';
import { BacklogController } from './backlog.controller.js';
import { DeliveryBacklog } from './delivery-backlog.js';
import { SetAsideDeliveries } from './set-aside-deliveries.js';

/** Pending deliveries by account, and those that were set aside. */
@Module({
  imports: [QueueModule, RecordModule, ReplayModule],
  controllers: [BacklogController],
  providers: [DeliveryBacklog, SetAsideDeliveries],
  exports: [SetAsideDeliveries],
})
export class BacklogModule {}
