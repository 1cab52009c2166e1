import { Module } from '@nestjs/common';
import { UnsubscribeController, Unsubscriber } from '@postmesh/public-links';
import { PublicLinksModule } from '../public-links/public-links.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { RecordUnsubscribe } from './record-unsubscribe.js';

/** Unsubscribe links for recipients. */
@Module({
  imports: [PublicLinksModule, SuppressionsModule],
  controllers: [UnsubscribeController],
  providers: [{ provide: Unsubscriber, useClass: RecordUnsubscribe }],
})
export class UnsubscribeModule {}
