import { Module } from '@nestjs/common';
import { PublicLinksModule } from '../public-links/public-links.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { RecordUnsubscribe } from './record-unsubscribe.js';
import { UnsubscribeController } from './unsubscribe.controller.js';

/** Links by which recipients unsubscribe. */
@Module({
  imports: [PublicLinksModule, SuppressionsModule],
  controllers: [UnsubscribeController],
  providers: [RecordUnsubscribe],
})
export class UnsubscribeModule {}
