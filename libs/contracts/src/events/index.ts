import { AccountChanged } from './account-changed.v1.js';
import { BounceReported } from './bounce-reported.v1.js';
import { CampaignReviewChanged } from './campaign-review-changed.v1.js';
import { ComplaintReported } from './complaint-reported.v1.js';
import { DeliveryAttempted } from './delivery-attempted.v1.js';
import { DomainChanged } from './domain-changed.v1.js';
import { DomainDnsFailed } from './domain-dns-failed.v1.js';
import { MessageAccepted } from './message-accepted.v1.js';
import { MessageChanged } from './message-changed.v1.js';
import { MessageReceived } from './message-received.v1.js';
import { MessageTracked } from './message-tracked.v1.js';
import { SuppressionsChanged } from './suppressions-changed.v1.js';
import { SystemMailRequested } from './system-mail-requested.v1.js';
import { WebhookDeliveryAttempted } from './webhook-delivery-attempted.v1.js';
import { WebhookDeliveryRequested } from './webhook-delivery-requested.v1.js';
import { WebhookDisabled } from './webhook-disabled.v1.js';
import { WebhookFailing } from './webhook-failing.v1.js';
import { WebhookRecoveryRequested } from './webhook-recovery-requested.v1.js';
import { WebhookStopped } from './webhook-stopped.v1.js';

export * from './account-changed.v1.js';
export * from './bounce-reported.v1.js';
export * from './campaign-review-changed.v1.js';
export * from './complaint-reported.v1.js';
export * from './delivery-attempted.v1.js';
export * from './domain-changed.v1.js';
export * from './domain-dns-failed.v1.js';
export * from './message-accepted.v1.js';
export * from './message-changed.v1.js';
export * from './message-changes-of.js';
export * from './message-received.v1.js';
export * from './message-tracked.v1.js';
export * from './newest-per-account.js';
export * from './suppressions-changed.v1.js';
export * from './system-mail-requested.v1.js';
export * from './webhook-delivery-attempted.v1.js';
export * from './webhook-delivery-requested.v1.js';
export * from './webhook-disabled.v1.js';
export * from './webhook-failing.v1.js';
export * from './webhook-recovery-requested.v1.js';
export * from './webhook-stopped.v1.js';

/** Every event version, the source of the JSON Schemas and of the boot check of handlers. */
export const EVENTS = [
  AccountChanged,
  BounceReported,
  CampaignReviewChanged,
  ComplaintReported,
  DeliveryAttempted,
  DomainChanged,
  DomainDnsFailed,
  MessageAccepted,
  MessageChanged,
  MessageReceived,
  MessageTracked,
  SuppressionsChanged,
  SystemMailRequested,
  WebhookDeliveryAttempted,
  WebhookDeliveryRequested,
  WebhookDisabled,
  WebhookFailing,
  WebhookRecoveryRequested,
  WebhookStopped,
] as const;
