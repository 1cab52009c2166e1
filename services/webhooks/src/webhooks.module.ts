import { Module } from '@nestjs/common';
import { AccountChangesModule } from './account-changes/account-changes.module.js';
import { CountCallsModule } from './count-calls/count-calls.module.js';
import { DomainChangesModule } from './domain-changes/domain-changes.module.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import { FailingEndpointsModule } from './failing-endpoints/failing-endpoints.module.js';
import { FanOutsModule } from './fan-outs/fan-outs.module.js';
import { ManageRoutesModule } from './manage-routes/manage-routes.module.js';
import { ManageWebhooksModule } from './manage-webhooks/manage-webhooks.module.js';
import { MatchEventsModule } from './match-events/match-events.module.js';
import { MatchRoutesModule } from './match-routes/match-routes.module.js';
import { RecentChangesController } from './recent-changes/recent-changes.controller.js';
import { WebhookDialectsModule } from './webhook-dialects/webhook-dialects.module.js';
import { RequestCallsModule } from './request-calls/request-calls.module.js';

@Module({
  imports: [
    ManageWebhooksModule,
    ManageRoutesModule,
    WebhookDialectsModule,
    EndpointsModule,
    MatchEventsModule,
    MatchRoutesModule,
    FanOutsModule,
    RequestCallsModule,
    CountCallsModule,
    FailingEndpointsModule,
    DomainChangesModule,
    AccountChangesModule,
  ],
  controllers: [RecentChangesController],
})
export class WebhooksModule {}
