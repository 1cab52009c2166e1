import { Module } from '@nestjs/common';
import { AttemptModule } from './attempt/attempt.module.js';
import { BacklogModule } from './backlog/backlog.module.js';
import { DeliveryLogModule } from './delivery-log/delivery-log.module.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import { IntakeModule } from './intake/intake.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { QueueModule } from './queue/queue.module.js';
import { RecordModule } from './record/record.module.js';
import { ReplayModule } from './replay/replay.module.js';

@Module({
  imports: [
    IntakeModule,
    QueueModule,
    AttemptModule,
    RecordModule,
    EndpointsModule,
    BacklogModule,
    ReplayModule,
    OperatorModule,
    DeliveryLogModule,
  ],
})
export class WebhookDispatcherModule {}
