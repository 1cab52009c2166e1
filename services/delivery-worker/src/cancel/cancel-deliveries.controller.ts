import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CancelDeliveriesRequest, type CanceledDeliveries } from '@postmesh/delivery-worker-contract';
import { body, Internal } from '@postmesh/service-host';
import { CancelDeliveries } from './cancel-deliveries.js';

/** For the messages service, which decides what customers may cancel. */
@Internal()
@Controller('internal/deliveries/cancel')
export class CancelDeliveriesController {
  constructor(private readonly cancellation: CancelDeliveries) {}

  @Post()
  @HttpCode(200)
  async cancel(
    @Body(body(CancelDeliveriesRequest)) { deliveries }: CancelDeliveriesRequest,
  ): Promise<CanceledDeliveries> {
    return { canceled: await this.cancellation.execute(deliveries) };
  }
}
