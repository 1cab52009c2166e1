import { Module } from '@nestjs/common';
import { EndpointsController } from './endpoints.controller.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';

@Module({
  controllers: [WebhookDeliveriesController, EndpointsController],
})
export class OperatorModule {}
