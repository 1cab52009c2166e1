import { Module } from '@nestjs/common';
import { AutomaticSuppressionsModule } from '../automatic-suppressions/automatic-suppressions.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { RetentionModule } from '../retention/retention.module.js';
import { OnDeliveryAttempted } from './on-delivery-attempted.consumer.js';

/** The status of messages, changed by delivery attempts. */
@Module({
  imports: [AutomaticSuppressionsModule, ReportsModule, RetentionModule],
  controllers: [OnDeliveryAttempted],
})
export class MessageStatusModule {}
