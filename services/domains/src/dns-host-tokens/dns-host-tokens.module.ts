import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DnsHostToken } from '../database/entities.js';
import { DomainStoreModule } from '../domain-store/domain-store.module.js';
import { SendingDomainsModule } from '../sending-domains/sending-domains.module.js';
import { DnsHostClient } from './dns-host-client.js';
import { DnsHostTokens } from './dns-host-tokens.repository.js';
import { DnsHostsController, OperatorDnsHostsController } from './dns-hosts.controller.js';
import { ManageTokens } from './manage-tokens.js';
import { PublishDkimRecords } from './publish-dkim-records.js';
import { PublishRecords } from './publish-records.js';

@Module({
  imports: [TypeOrmModule.forFeature([DnsHostToken]), DomainStoreModule, SendingDomainsModule],
  controllers: [DnsHostsController, OperatorDnsHostsController],
  providers: [DnsHostTokens, DnsHostClient, ManageTokens, PublishRecords, PublishDkimRecords],
  exports: [DnsHostTokens],
})
export class DnsHostTokensModule {}
