import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { CallPreparation } from './call-preparation.js';
import { EndpointTargets } from './endpoint-targets.js';
import { RouteBodies } from './route-bodies.js';
import { WebhookAttempt } from './webhook-attempt.js';
import { WebhookCaller } from './webhook-caller.js';

/** One call of an endpoint. */
@Module({
  imports: [DatabaseClockModule],
  providers: [WebhookAttempt, CallPreparation, EndpointTargets, RouteBodies, WebhookCaller],
  exports: [EndpointTargets, WebhookAttempt],
})
export class AttemptModule {}
