import { Module } from '@nestjs/common';
import { ReplayModule } from '../replay/replay.module.js';
import { EndpointDeliveries } from './endpoint-deliveries.js';
import { EndpointDeliveriesController } from './endpoint-deliveries.controller.js';
import { OwnedEndpoints } from './owned-endpoints.js';

/** Deliveries with request and response, and their repetition, for members of the account. */
@Module({
  imports: [ReplayModule],
  controllers: [EndpointDeliveriesController],
  providers: [EndpointDeliveries, OwnedEndpoints],
})
export class DeliveryLogModule {}
