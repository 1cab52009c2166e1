import { Module } from '@nestjs/common';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { SetWebhookDialect } from './set-webhook-dialect.js';
import { WebhookDialectsController } from './webhook-dialects.controller.js';

@Module({
  imports: [EndpointsModule],
  controllers: [WebhookDialectsController],
  providers: [SetWebhookDialect],
})
export class WebhookDialectsModule {}
