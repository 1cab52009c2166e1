import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountSettingsRow, SendingDomain } from '../database/entities.js';
import { AccountSettingsStore } from './account-settings.js';
import { SendingDomains } from './sending-domains.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([SendingDomain, AccountSettingsRow])],
  providers: [SendingDomains, AccountSettingsStore],
  exports: [SendingDomains, AccountSettingsStore],
})
export class DomainStoreModule {}
