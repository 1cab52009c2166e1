import { Module } from '@nestjs/common';
import { OnWebhookDeliveryAttempted } from './count-calls/on-webhook-delivery-attempted.consumer.js';
import { OnAccountChanged } from './delete-with-account/on-account-changed.consumer.js';
import { OnDomainChanged } from './leave-domains/on-domain-changed.consumer.js';
import { CreateWebhook } from './manage-webhooks/create-webhook.js';
import { DeleteWebhook } from './manage-webhooks/delete-webhook.js';
import { OwnedDomains } from './manage-webhooks/owned-domains.js';
import { PublicTarget } from './manage-webhooks/public-target.js';
import { RemoveWebhooks } from './manage-webhooks/remove-webhooks.js';
import { UpdateWebhook } from './manage-webhooks/update-webhook.js';
import { WebhooksController } from './manage-webhooks/webhooks.controller.js';
import { WebhooksRepository } from './manage-webhooks/webhooks.repository.js';
import { CallRequests } from './match-events/call-requests.js';
import { EventMatcher } from './match-events/event-matcher.js';
import { Listeners } from './match-events/listeners.js';
import { OnDeliveryAttempted } from './match-events/on-delivery-attempted.consumer.js';
import { OnDomainDnsFailed } from './match-events/on-domain-dns-failed.consumer.js';
import { OnMessageAccepted } from './match-events/on-message-accepted.consumer.js';
import { ToldReceptions } from './match-events/told-receptions.js';
import { WebhookTargetsController } from './webhook-targets/webhook-targets.controller.js';
import { PruneToldReceptions } from './retention/prune-told-receptions.js';

@Module({
  controllers: [
    WebhooksController,
    WebhookTargetsController,
    OnMessageAccepted,
    OnDeliveryAttempted,
    OnDomainDnsFailed,
    OnWebhookDeliveryAttempted,
    OnDomainChanged,
    OnAccountChanged,
  ],
  providers: [
    WebhooksRepository,
    CreateWebhook,
    UpdateWebhook,
    DeleteWebhook,
    RemoveWebhooks,
    OwnedDomains,
    PublicTarget,
    EventMatcher,
    Listeners,
    CallRequests,
    ToldReceptions,
    PruneToldReceptions,
  ],
})
export class WebhooksModule {}
