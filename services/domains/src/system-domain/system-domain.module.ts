import { Module } from '@nestjs/common';
import { DomainStoreModule } from '../domain-store/domain-store.module.js';
import { SendingDomainsModule } from '../sending-domains/sending-domains.module.js';
import { SystemDomainController } from './system-domain.controller.js';
import { SystemDomain } from './system-domain.js';

@Module({
  imports: [DomainStoreModule, SendingDomainsModule],
  controllers: [SystemDomainController],
  providers: [SystemDomain],
})
export class SystemDomainModule {}
