import { Module } from '@nestjs/common';
import { DnsModule } from '../dns/dns.module.js';
import { SendingDomainsModule } from '../sending-domains/sending-domains.module.js';
import { DnsHosts } from './dns-hosts.js';
import { DomainConnectController, SetupLinkController } from './domain-connect.controller.js';
import { GetSetupLink } from './get-setup-link.js';

@Module({
  imports: [DnsModule, SendingDomainsModule],
  controllers: [SetupLinkController, DomainConnectController],
  providers: [DnsHosts, GetSetupLink],
})
export class DomainConnectModule {}
