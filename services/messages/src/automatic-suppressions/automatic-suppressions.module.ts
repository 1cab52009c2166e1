import { Module } from '@nestjs/common';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { PruneTroubles } from './prune-troubles.js';
import { SuppressRecipients } from './suppress-recipients.js';

/** Suppressions after bounces and complaints. */
@Module({
  imports: [SuppressionsModule],
  providers: [SuppressRecipients, PruneTroubles],
  exports: [SuppressRecipients],
})
export class AutomaticSuppressionsModule {}
