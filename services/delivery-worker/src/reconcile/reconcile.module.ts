import { Module } from '@nestjs/common';
import { EndSentDeliveriesController } from './end-sent-deliveries.controller.js';
import { EndSentDeliveries } from './end-sent-deliveries.js';

/** Ends deliveries that the log of SMTP conversations shows as sent, after a restore (`npx postmesh mark-sent`). */
@Module({
  controllers: [EndSentDeliveriesController],
  providers: [EndSentDeliveries],
})
export class ReconcileModule {}
