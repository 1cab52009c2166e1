import { Module } from '@nestjs/common';
import { DatabaseClock } from '@postmesh/database';
import { CallPreparation } from './attempt/call-preparation.js';
import { EndpointTargets } from './attempt/endpoint-targets.js';
import { RouteBodies } from './attempt/route-bodies.js';
import { WebhookAttempt } from './attempt/webhook-attempt.js';
import { WebhookCaller } from './attempt/webhook-caller.js';
import { BacklogController } from './backlog/backlog.controller.js';
import { DeliveryBacklog } from './backlog/delivery-backlog.js';
import { SetAsideDeliveries } from './backlog/set-aside-deliveries.js';
import { EndpointRooms } from './endpoints/endpoint-rooms.js';
import { EndpointStates } from './endpoints/endpoint-states.js';
import { OnWebhookDeliveryRequested } from './intake/on-webhook-delivery-requested.consumer.js';
import { OnWebhookRecoveryRequested } from './intake/on-webhook-recovery-requested.consumer.js';
import { OnWebhookStopped } from './intake/on-webhook-stopped.consumer.js';
import { EndpointsController } from './operator/endpoints.controller.js';
import { WebhookDeliveriesController } from './operator/webhook-deliveries.controller.js';
import { WebhookQueue } from './queue/webhook-queue.js';
import { AttemptRecorder } from './record/attempt-recorder.js';
import { EndedDeliveries } from './record/ended-deliveries.js';
import { KeepByDay } from './record/keep-by-day.js';
import { ReplayDeliveries } from './replay/replay-deliveries.js';
import { Replays } from './replay/replays.js';
import { ReplaysController } from './replay/replays.controller.js';

@Module({
  controllers: [
    WebhookDeliveriesController,
    EndpointsController,
    ReplaysController,
    BacklogController,
    OnWebhookDeliveryRequested,
    OnWebhookStopped,
    OnWebhookRecoveryRequested,
  ],
  providers: [
    DatabaseClock,
    WebhookCaller,
    EndpointTargets,
    RouteBodies,
    CallPreparation,
    WebhookAttempt,
    EndpointStates,
    EndpointRooms,
    EndedDeliveries,
    AttemptRecorder,
    WebhookQueue,
    KeepByDay,
    ReplayDeliveries,
    Replays,
    DeliveryBacklog,
    SetAsideDeliveries,
  ],
})
export class WebhookDispatcherModule {}
