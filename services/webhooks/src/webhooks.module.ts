import { Module } from '@nestjs/common';
import { OnAccountChanged } from './account-changes/on-account-changed.consumer.js';
import { OnWebhookDeliveryAttempted } from './count-calls/on-webhook-delivery-attempted.consumer.js';
import { SealUrls } from './database/seal-urls.js';
import { OnDomainChanged } from './domain-changes/on-domain-changed.consumer.js';
import { CreateEndpoint } from './endpoints/create-endpoint.js';
import { DeleteEndpoint } from './endpoints/delete-endpoint.js';
import { OwnedDomains, PublicTarget } from './endpoints/endpoint-checks.js';
import { EndpointTargetsController } from './endpoints/endpoint-targets.controller.js';
import { Endpoints } from './endpoints/endpoints.js';
import { UpdateEndpoint } from './endpoints/update-endpoint.js';
import { FanOutMetrics } from './fan-outs/fan-out-metrics.js';
import { FanOutTurns } from './fan-outs/fan-out-turns.js';
import { FanOuts } from './fan-outs/fan-outs.js';
import { IntakePressure } from './fan-outs/intake-pressure.js';
import { FailingEndpointsController } from './failing-endpoints/failing-endpoints.controller.js';
import { FailingEndpoints } from './failing-endpoints/failing-endpoints.js';
import { RecoverController } from './failing-endpoints/recover.controller.js';
import { RecoverEndpoint } from './failing-endpoints/recover-endpoint.js';
import { CreateWebhook } from './manage-webhooks/create-webhook.js';
import { TestWebhookController } from './manage-webhooks/test-webhook.controller.js';
import { TriggerWebhook } from './manage-webhooks/trigger-webhook.js';
import { UpdateWebhook } from './manage-webhooks/update-webhook.js';
import { WebhooksController } from './manage-webhooks/webhooks.controller.js';
import { WebhooksRepository } from './manage-webhooks/webhooks.repository.js';
import { CreateRoute } from './manage-routes/create-route.js';
import { RoutesController } from './manage-routes/routes.controller.js';
import { DisableRoutes, RoutesRepository } from './manage-routes/routes.repository.js';
import { TriggerRoute } from './manage-routes/trigger-route.js';
import { UpdateRoute } from './manage-routes/update-route.js';
import { CallRequests } from './match-events/call-requests.js';
import { EventMatcher } from './match-events/event-matcher.js';
import { Listeners } from './match-events/listeners.js';
import { OnDomainDnsFailed } from './match-events/on-domain-dns-failed.consumer.js';
import { FORMER_EVENTS } from './match-events/on-former-events.consumer.js';
import { OnMessageAccepted } from './match-events/on-message-accepted.consumer.js';
import { OnMessageChanged } from './match-events/on-message-changed.consumer.js';
import { OnSuppressionsChanged } from './match-events/on-suppressions-changed.consumer.js';
import { PublishedReceptions } from './match-events/published-receptions.js';
import { DomainOwners } from './match-routes/domain-owners.js';
import { EnabledRoutes } from './match-routes/enabled-routes.js';
import { GroupedMessages } from './match-routes/grouped-messages.js';
import { InboundRecipientsController } from './match-routes/inbound-recipients.controller.js';
import { OnMessageReceived } from './match-routes/on-message-received.consumer.js';
import { RouteMatcher } from './match-routes/route-matcher.js';

@Module({
  controllers: [
    WebhooksController,
    TestWebhookController,
    EndpointTargetsController,
    RoutesController,
    InboundRecipientsController,
    FailingEndpointsController,
    RecoverController,
    OnMessageAccepted,
    OnMessageChanged,
    ...FORMER_EVENTS,
    OnDomainDnsFailed,
    OnSuppressionsChanged,
    OnWebhookDeliveryAttempted,
    OnDomainChanged,
    OnAccountChanged,
    OnMessageReceived,
  ],
  providers: [
    SealUrls,
    WebhooksRepository,
    CreateWebhook,
    UpdateWebhook,
    TriggerWebhook,
    Endpoints,
    CreateEndpoint,
    UpdateEndpoint,
    DeleteEndpoint,
    OwnedDomains,
    PublicTarget,
    EventMatcher,
    Listeners,
    CallRequests,
    PublishedReceptions,
    FanOuts,
    FanOutTurns,
    FanOutMetrics,
    IntakePressure,
    RoutesRepository,
    CreateRoute,
    UpdateRoute,
    DisableRoutes,
    TriggerRoute,
    DomainOwners,
    EnabledRoutes,
    RouteMatcher,
    GroupedMessages,
    FailingEndpoints,
    RecoverEndpoint,
  ],
})
export class WebhooksModule {}
