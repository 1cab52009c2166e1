import { Module } from '@nestjs/common';
import { OnWebhookDeliveryAttempted } from './on-webhook-delivery-attempted.consumer.js';

@Module({
  controllers: [OnWebhookDeliveryAttempted],
})
export class CountCallsModule {}
