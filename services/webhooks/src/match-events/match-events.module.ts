import { Module } from '@nestjs/common';
import { FanOutsModule } from '../fan-outs/fan-outs.module.js';
import { RequestCallsModule } from '../request-calls/request-calls.module.js';
import { EventMatcher } from './event-matcher.js';
import { OnDomainDnsFailed } from './on-domain-dns-failed.consumer.js';
import { OnMessageAccepted } from './on-message-accepted.consumer.js';
import { OnMessageChanged } from './on-message-changed.consumer.js';
import { OnSuppressionsChanged } from './on-suppressions-changed.consumer.js';

@Module({
  imports: [FanOutsModule, RequestCallsModule],
  controllers: [OnMessageAccepted, OnMessageChanged, OnDomainDnsFailed, OnSuppressionsChanged],
  providers: [EventMatcher],
  exports: [EventMatcher],
})
export class MatchEventsModule {}
