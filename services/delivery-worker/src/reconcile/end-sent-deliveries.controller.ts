import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { SentDeliveries } from '@postmesh/delivery-worker-contract';
import { body, Internal } from '@postmesh/service-host';
import { EndSentDeliveries } from './end-sent-deliveries.js';

@Internal()
@Controller('operator/deliveries/sent')
export class EndSentDeliveriesController {
  constructor(private readonly sent: EndSentDeliveries) {}

  @Post()
  @HttpCode(200)
  async end(@Body(body(SentDeliveries)) { deliveries }: SentDeliveries): Promise<{ ended: number }> {
    return { ended: await this.sent.execute(deliveries) };
  }
}
