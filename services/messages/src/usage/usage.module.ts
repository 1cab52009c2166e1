import { Module } from '@nestjs/common';
import { FoldUsage } from './fold-usage.js';
import { UsageCounter } from './usage-counter.js';
import { UsageController } from './usage.controller.js';

/** Usage of accounts, counted in the transaction that accepts mail. */
@Module({
  controllers: [UsageController],
  providers: [UsageCounter, FoldUsage],
  exports: [UsageCounter],
})
export class UsageModule {}
