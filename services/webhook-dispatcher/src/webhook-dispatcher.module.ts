import { Module } from '@nestjs/common';
import { CallAttempt } from './attempt/call-attempt.js';
import { WEBHOOK_CALLER } from './attempt/webhook-caller.port.js';
import { DispatchLoop } from './dispatch/dispatch-loop.js';
import { OWED_CALLS } from './dispatch/owed-calls.port.js';
import { WakeAlarm } from './dispatch/wake-alarm.js';
import { HttpWebhookCaller } from './http/http-webhook-caller.js';
import { OnWebhookCallRequested } from './intake/on-webhook-call-requested.consumer.js';
import { OnWebhookStopped } from './intake/on-webhook-stopped.consumer.js';
import { QueueController } from './operator/queue.controller.js';
import { PostgresOwedCalls } from './postgres/postgres-owed-calls.js';
import { AttemptRecorder } from './record/attempt-recorder.js';
import { PruneAttempts } from './retention/prune-attempts.js';

@Module({
  controllers: [QueueController],
  providers: [
    OnWebhookCallRequested,
    OnWebhookStopped,
    PostgresOwedCalls,
    { provide: OWED_CALLS, useExisting: PostgresOwedCalls },
    { provide: WEBHOOK_CALLER, useClass: HttpWebhookCaller },
    CallAttempt,
    AttemptRecorder,
    DispatchLoop,
    WakeAlarm,
    PruneAttempts,
  ],
})
export class WebhookDispatcherModule {}
