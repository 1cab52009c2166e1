import { Module } from '@nestjs/common';
import { CancelDeliveriesController } from './cancel-deliveries.controller.js';
import { CancelDeliveries } from './cancel-deliveries.js';
import { ForgetCanceled } from './forget-canceled.js';

@Module({
  controllers: [CancelDeliveriesController],
  providers: [CancelDeliveries, ForgetCanceled],
})
export class CancelModule {}
