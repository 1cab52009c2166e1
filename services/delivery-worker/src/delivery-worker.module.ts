import { Module } from '@nestjs/common';
import { AccountStates } from './account-states/account-states.js';
import { HeldDeliveries } from './account-states/held-deliveries.js';
import { StatesAtStart } from './account-states/states-at-start.js';
import { OnAccountChanged } from './account-states/on-account-changed.consumer.js';
import { AttemptLog } from './attempt/attempt-log.js';
import { DeliveryAttempt } from './attempt/delivery-attempt.js';
import { DeliveryLoop } from './attempt/delivery-loop.js';
import { SMTP_TRANSPORT } from './attempt/smtp-transport.js';
import { DeliveryClaims } from './claim/delivery-claims.js';
import { OnMessageAccepted } from './intake/on-message-accepted.consumer.js';
import { LeaseUpkeep } from './lease/lease-upkeep.js';
import { WorkerLease } from './lease/worker-lease.js';
import { PruneHistory } from './record/prune-history.js';
import { AttemptRecorder } from './record/attempt-recorder.js';
import { QueueController } from './operator/queue.controller.js';
import { OnDomainChanged } from './signing/on-domain-changed.consumer.js';
import { LargeMessages } from './signing/large-messages.js';
import { PreparedMessages } from './signing/prepared-messages.js';
import { SigningDirectory } from './signing/signing-directory.js';

@Module({
  controllers: [QueueController],
  providers: [
    OnMessageAccepted,
    OnAccountChanged,
    OnDomainChanged,
    DeliveryLoop,
    DeliveryAttempt,
    DeliveryClaims,
    AccountStates,
    HeldDeliveries,
    StatesAtStart,
    WorkerLease,
    LeaseUpkeep,
    AttemptLog,
    AttemptRecorder,
    PruneHistory,
    PreparedMessages,
    LargeMessages,
    SigningDirectory,
    SMTP_TRANSPORT,
  ],
})
export class DeliveryWorkerModule {}
