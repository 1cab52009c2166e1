import { Module } from '@nestjs/common';
import { LinkTokens } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

/** The tokens in links of messages. */
@Module({
  providers: [
    {
      provide: LinkTokens,
      inject: [SETTINGS],
      useFactory: ({ secretKeys }: Settings) => new LinkTokens(secretKeys),
    },
  ],
  exports: [LinkTokens],
})
export class PublicLinksModule {}
