import { Module } from '@nestjs/common';
import { AccountSettingsStore } from './account-settings.js';
import { SendingDomains } from './sending-domains.repository.js';

@Module({
  providers: [SendingDomains, AccountSettingsStore],
  exports: [SendingDomains, AccountSettingsStore],
})
export class DomainStoreModule {}
