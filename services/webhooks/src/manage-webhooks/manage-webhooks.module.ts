import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookEntity } from '../database/webhook.entity.js';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { RequestCallsModule } from '../request-calls/request-calls.module.js';
import { CreateWebhook } from './create-webhook.js';
import { TestWebhookController } from './test-webhook.controller.js';
import { TriggerWebhook } from './trigger-webhook.js';
import { UpdateWebhook } from './update-webhook.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksRepository } from './webhooks.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([WebhookEntity]), EndpointsModule, RequestCallsModule],
  controllers: [WebhooksController, TestWebhookController],
  providers: [WebhooksRepository, CreateWebhook, UpdateWebhook, TriggerWebhook],
  exports: [UpdateWebhook],
})
export class ManageWebhooksModule {}
