import { Module } from '@nestjs/common';
import { MatchEventsModule } from '../match-events/match-events.module.js';
import { RequestCallsModule } from '../request-calls/request-calls.module.js';
import { DomainOwners } from './domain-owners.js';
import { EnabledRoutes } from './enabled-routes.js';
import { GroupedMessages } from './grouped-messages.js';
import { InboundRecipientsController } from './inbound-recipients.controller.js';
import { OnMessageReceived } from './on-message-received.consumer.js';
import { RouteMatcher } from './route-matcher.js';

/** Routes that received messages match. */
@Module({
  imports: [MatchEventsModule, RequestCallsModule],
  controllers: [InboundRecipientsController, OnMessageReceived],
  providers: [DomainOwners, EnabledRoutes, RouteMatcher, GroupedMessages],
  exports: [DomainOwners],
})
export class MatchRoutesModule {}
