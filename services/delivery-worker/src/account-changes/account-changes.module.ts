import { Module } from '@nestjs/common';
import { AccountStatesModule } from '../account-states/account-states.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { OnAccountChanged } from './on-account-changed.consumer.js';
import { SuspendDeliveries } from './suspend-deliveries.js';

/** Deliveries follow the states of their accounts. */
@Module({
  imports: [AccountStatesModule, QueueModule],
  controllers: [OnAccountChanged],
  providers: [SuspendDeliveries],
})
export class AccountChangesModule {}
