import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProviderCredential } from '../database/entities.js';
import { ProviderCredentials } from './provider-credentials.js';
import { ProviderViewsController } from './provider-views.controller.js';
import { ProviderViews } from './provider-views.js';

/** Figures of mailbox providers, each behind one port. */
@Module({
  imports: [TypeOrmModule.forFeature([ProviderCredential])],
  controllers: [ProviderViewsController],
  providers: [ProviderCredentials, ProviderViews],
  exports: [ProviderViews],
})
export class ProviderViewsModule {}
