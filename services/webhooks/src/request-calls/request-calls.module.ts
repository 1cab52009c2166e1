import { Module } from '@nestjs/common';
import { CallRequests } from './call-requests.js';
import { Listeners } from './listeners.js';
import { PublishedReceptions } from './published-receptions.js';

/** The webhooks that want an event, and their calls, requested of the dispatcher. */
@Module({
  providers: [Listeners, CallRequests, PublishedReceptions],
  exports: [Listeners, CallRequests],
})
export class RequestCallsModule {}
