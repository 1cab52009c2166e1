import { Module } from '@nestjs/common';
import { DatabaseClock } from '@postmesh/database';
import { MessageContentModule } from '@postmesh/message-content';
import { AccountStates } from './account-changes/account-states.js';
import { OnAccountChanged } from './account-changes/on-account-changed.consumer.js';
import { StatesAtStart } from './account-changes/states-at-start.js';
import { SuspendDeliveries } from './account-changes/suspend-deliveries.js';
import { AttemptLog } from './attempt/attempt-log.js';
import { DeliveryAttempt } from './attempt/delivery-attempt.js';
import { OutgoingConnections } from './attempt/outgoing-connections.js';
import { SMTP_TRANSPORT } from './attempt/smtp-transport.js';
import { CancelDeliveries } from './cancel/cancel-deliveries.js';
import { CancelDeliveriesController } from './cancel/cancel-deliveries.controller.js';
import { ForgetCanceled } from './cancel/forget-canceled.js';
import { EgressChecks } from './egress/egress-checks.js';
import { EgressController } from './egress/egress.controller.js';
import { EGRESS_SOURCES } from './egress/egress-sources.js';
import { RELAYS } from './egress/relays.js';
import { OnMessageAccepted } from './intake/on-message-accepted.consumer.js';
import { ForgetGroups } from './mx/forget-groups.js';
import { MailHostsController } from './mx/mail-hosts.controller.js';
import { MxGroups } from './mx/mx-groups.js';
import { MX_RESOLVER } from './mx/mx-resolver.js';
import { ResolveGroups } from './mx/resolve-groups.js';
import { UnknownGroups } from './mx/unknown-groups.js';
import { DeliveryController } from './operator/delivery.controller.js';
import { GroupLimitsView } from './operator/group-limits.view.js';
import { QueueController } from './operator/queue.controller.js';
import { ResumeGroup } from './operator/resume-group.js';
import { DeliveryBacklog } from './queue/delivery-backlog.js';
import { DeliveryQueue } from './queue/delivery-queue.js';
import { FactsAtStart } from './queue/facts-at-start.js';
import { EndSentDeliveries } from './reconcile/end-sent-deliveries.js';
import { EndSentDeliveriesController } from './reconcile/end-sent-deliveries.controller.js';
import { AttemptRecorder } from './record/attempt-recorder.js';
import { PROVIDERS_IN_FORCE } from './shaping/read-providers.js';
import { DomainChangeFeed } from './signing/domain-change-feed.js';
import { NarrowSuspensions } from './shaping/narrow-suspensions.js';
import { PruneShaping } from './shaping/prune-shaping.js';
import { ShapingChanges } from './shaping/shaping-changes.js';
import { ShapingClock } from './shaping/shaping-clock.js';
import { ShapingLimits } from './shaping/shaping-limits.js';
import { ShapingLog } from './shaping/shaping-log.js';
import { ShapingMemory } from './shaping/shaping-memory.js';
import { ShapingRows } from './shaping/shaping-rows.js';
import { ShapingSync } from './shaping/shaping-sync.js';
import { LargeMessages } from './signing/large-messages.js';
import { OnDomainChanged } from './signing/on-domain-changed.consumer.js';
import { PreparedMessages } from './signing/prepared-messages.js';
import { SigningDirectory } from './signing/signing-directory.js';
import { KeepCopy } from './suppressions/keep-copy.js';
import { OnSuppressionsChanged } from './suppressions/on-suppressions-changed.consumer.js';
import { ReadSuppressions } from './suppressions/read-suppressions.js';
import { SuppressionCopy } from './suppressions/suppression-copy.js';
import { KeepStsPolicies } from './tls/keep-sts-policies.js';
import { StsPolicies } from './tls/sts-policies.js';
import { TlsNeeds } from './tls/tls-needs.js';
import { DANE_LOOKUP, EXTRA_CA_IN_FORCE, PUBLISHED_POLICIES } from './tls/tls-parts.js';

const SHAPING = [
  ShapingRows,
  ShapingMemory,
  ShapingChanges,
  NarrowSuspensions,
  DatabaseClock,
  ShapingClock,
  ShapingLog,
  ShapingLimits,
  ShapingSync,
  PruneShaping,
  GroupLimitsView,
  ResumeGroup,
];

@Module({
  imports: [MessageContentModule],
  controllers: [
    EgressController,
    CancelDeliveriesController,
    EndSentDeliveriesController,
    DeliveryController,
    QueueController,
    MailHostsController,
    OnMessageAccepted,
    OnAccountChanged,
    OnDomainChanged,
    OnSuppressionsChanged,
  ],
  providers: [
    PROVIDERS_IN_FORCE,
    MX_RESOLVER,
    MxGroups,
    UnknownGroups,
    ResolveGroups,
    ForgetGroups,
    DeliveryQueue,
    DeliveryBacklog,
    FactsAtStart,
    DeliveryAttempt,
    AttemptRecorder,
    AttemptLog,
    AccountStates,
    CancelDeliveries,
    EndSentDeliveries,
    ForgetCanceled,
    SuspendDeliveries,
    StatesAtStart,
    SuppressionCopy,
    ReadSuppressions,
    KeepCopy,
    PreparedMessages,
    LargeMessages,
    SigningDirectory,
    DomainChangeFeed,
    ...SHAPING,
    EXTRA_CA_IN_FORCE,
    DANE_LOOKUP,
    PUBLISHED_POLICIES,
    StsPolicies,
    KeepStsPolicies,
    TlsNeeds,
    EGRESS_SOURCES,
    EgressChecks,
    RELAYS,
    OutgoingConnections,
    SMTP_TRANSPORT,
  ],
})
export class DeliveryWorkerModule {}
