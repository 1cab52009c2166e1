import { Module } from '@nestjs/common';
import { LinkTokens, UnsubscribeController, Unsubscriber } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { RecordUnsubscribe } from './record-unsubscribe.js';

/** Links by which recipients of campaigns unsubscribe. */
@Module({
  controllers: [UnsubscribeController],
  providers: [
    { provide: Unsubscriber, useClass: RecordUnsubscribe },
    {
      provide: LinkTokens,
      useFactory: ({ secretKeys }: Settings) => new LinkTokens(secretKeys),
      inject: [SETTINGS],
    },
  ],
  exports: [LinkTokens],
})
export class UnsubscribeModule {}
