import { Module } from '@nestjs/common';
import { AccountChangesModule } from './account-changes/account-changes.module.js';
import { AccountStatesModule } from './account-states/account-states.module.js';
import { AttemptModule } from './attempt/attempt.module.js';
import { CancelModule } from './cancel/cancel.module.js';
import { EgressModule } from './egress/egress.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { IntakeModule } from './intake/intake.module.js';
import { MxModule } from './mx/mx.module.js';
import { AccountWaitsModule } from './account-waits/account-waits.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { QueueModule } from './queue/queue.module.js';
import { ReconcileModule } from './reconcile/reconcile.module.js';
import { RecordModule } from './record/record.module.js';
import { ShapingModule } from './shaping/shaping.module.js';
import { SigningModule } from './signing/signing.module.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { TlsModule } from './tls/tls.module.js';
import { UnknownGroupsModule } from './unknown-groups/unknown-groups.module.js';

@Module({
  imports: [
    IntakeModule,
    QueueModule,
    AttemptModule,
    RecordModule,
    AccountStatesModule,
    AccountChangesModule,
    CancelModule,
    ReconcileModule,
    SuppressionsModule,
    MxModule,
    UnknownGroupsModule,
    EgressModule,
    TlsModule,
    SigningModule,
    ShapingModule,
    AccountWaitsModule,
    ExplainModule,
    OperatorModule,
  ],
})
export class DeliveryWorkerModule {}
