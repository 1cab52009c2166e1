import { Module } from '@nestjs/common';
import { LinkTokens } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { RecordUnsubscribe } from './record-unsubscribe.js';
import { UnsubscribeController } from './unsubscribe.controller.js';

@Module({
  controllers: [UnsubscribeController],
  providers: [
    RecordUnsubscribe,
    {
      provide: LinkTokens,
      useFactory: ({ secretKeys }: Settings) => new LinkTokens(secretKeys),
      inject: [SETTINGS],
    },
  ],
})
export class UnsubscribeModule {}
