import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module.js';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { RecordModule } from '../record/record.module.js';
import { WebhookQueue } from './webhook-queue.js';

@Module({
  imports: [AttemptModule, EndpointsModule, RecordModule],
  providers: [WebhookQueue],
  exports: [WebhookQueue],
})
export class QueueModule {}
