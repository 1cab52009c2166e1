import { Module } from '@nestjs/common';
import { BacklogModule } from '../backlog/backlog.module.js';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { RecordModule } from '../record/record.module.js';
import { ReplayModule } from '../replay/replay.module.js';
import { OnWebhookDeliveryRequested } from './on-webhook-delivery-requested.consumer.js';
import { OnWebhookRecoveryRequested } from './on-webhook-recovery-requested.consumer.js';
import { OnWebhookStopped } from './on-webhook-stopped.consumer.js';

@Module({
  imports: [BacklogModule, EndpointsModule, QueueModule, RecordModule, ReplayModule],
  controllers: [OnWebhookDeliveryRequested, OnWebhookStopped, OnWebhookRecoveryRequested],
})
export class IntakeModule {}
