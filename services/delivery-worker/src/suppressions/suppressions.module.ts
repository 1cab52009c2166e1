import { Module } from '@nestjs/common';
import { WarmUpModule } from '../warm-up/warm-up.module.js';
import { KeepCopy } from './keep-copy.js';
import { OnSuppressionsChanged } from './on-suppressions-changed.consumer.js';
import { ReadSuppressions } from './read-suppressions.js';
import { SuppressionCopy } from './suppression-copy.js';

/** The copy of suppressed addresses. */
@Module({
  imports: [WarmUpModule],
  controllers: [OnSuppressionsChanged],
  providers: [SuppressionCopy, ReadSuppressions, KeepCopy],
  exports: [ReadSuppressions],
})
export class SuppressionsModule {}
