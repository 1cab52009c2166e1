import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module.js';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ReplayDeliveries } from './replay-deliveries.js';
import { ReplaysController } from './replays.controller.js';
import { Replays } from './replays.js';

@Module({
  imports: [AttemptModule, EndpointsModule, QueueModule],
  controllers: [ReplaysController],
  providers: [ReplayDeliveries, Replays],
  exports: [ReplayDeliveries, Replays],
})
export class ReplayModule {}
