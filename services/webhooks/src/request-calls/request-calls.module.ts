import { Module } from '@nestjs/common';
import { CallRequests } from './call-requests.js';
import { Listeners } from './listeners.js';

/** The webhooks that want an event, and their calls, requested of the dispatcher. */
@Module({
  providers: [Listeners, CallRequests],
  exports: [Listeners, CallRequests],
})
export class RequestCallsModule {}
