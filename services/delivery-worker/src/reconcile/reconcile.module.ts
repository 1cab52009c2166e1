import { Module } from '@nestjs/common';
import { EndSentDeliveriesController } from './end-sent-deliveries.controller.js';
import { EndSentDeliveries } from './end-sent-deliveries.js';
import { KeptOutcomes } from './kept-outcomes.js';
import { ReconcileDeliveriesController } from './reconcile-deliveries.controller.js';
import { ReconcileDeliveries } from './reconcile-deliveries.js';

/** Outcomes kept after their deliveries, and the real state of deliveries for the messages service (decision 68). */
@Module({
  controllers: [ReconcileDeliveriesController, EndSentDeliveriesController],
  providers: [KeptOutcomes, ReconcileDeliveries, EndSentDeliveries],
  exports: [KeptOutcomes],
})
export class ReconcileModule {}
