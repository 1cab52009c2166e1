import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ReconcileDeliveriesRequest, type ReconciledDeliveries } from '@postmesh/delivery-worker-contract';
import { body, Internal } from '@postmesh/service-host';
import { ReconcileDeliveries } from './reconcile-deliveries.js';

/** For the messages service, which has the accepted messages. */
@Internal()
@Controller('internal/deliveries/reconcile')
export class ReconcileDeliveriesController {
  constructor(private readonly reconciliation: ReconcileDeliveries) {}

  @Post()
  @HttpCode(200)
  reconcile(
    @Body(body(ReconcileDeliveriesRequest)) { deliveries, retell }: ReconcileDeliveriesRequest,
  ): Promise<ReconciledDeliveries> {
    return this.reconciliation.execute(deliveries, { retell });
  }
}
