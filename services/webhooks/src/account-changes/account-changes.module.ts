import { Module } from '@nestjs/common';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { OnAccountChanged } from './on-account-changed.consumer.js';

@Module({
  imports: [EndpointsModule],
  controllers: [OnAccountChanged],
})
export class AccountChangesModule {}
