import { Module } from '@nestjs/common';
import { WebhookAttempt } from './attempt/webhook-attempt.js';
import { WebhookCaller } from './attempt/webhook-caller.js';
import { WebhookTargets } from './attempt/webhook-targets.js';
import { OnWebhookDeliveryRequested } from './intake/on-webhook-delivery-requested.consumer.js';
import { OnWebhookStopped } from './intake/on-webhook-stopped.consumer.js';
import { WebhookDeliveriesController } from './operator/webhook-deliveries.controller.js';
import { WebhookQueue } from './queue/webhook-queue.js';
import { AttemptRecorder } from './record/attempt-recorder.js';
import { PruneAttempts } from './record/prune-attempts.js';

@Module({
  controllers: [WebhookDeliveriesController],
  providers: [
    OnWebhookDeliveryRequested,
    OnWebhookStopped,
    WebhookCaller,
    WebhookTargets,
    WebhookAttempt,
    AttemptRecorder,
    WebhookQueue,
    PruneAttempts,
  ],
})
export class WebhookDispatcherModule {}
