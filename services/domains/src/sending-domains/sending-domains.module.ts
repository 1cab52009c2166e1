import { Module } from '@nestjs/common';
import { DkimKeysModule } from '../dkim-keys/dkim-keys.module.js';
import { DnsModule } from '../dns/dns.module.js';
import { DomainStoreModule } from '../domain-store/domain-store.module.js';
import { ManagedZoneModule } from '../managed-zone/managed-zone.module.js';
import { PausesModule } from '../pauses/pauses.module.js';
import { CheckDns } from './check-dns.js';
import { BannedDomains, CreateDomain } from './create-domain.js';
import { DeleteDomain } from './delete-domain.js';
import { DomainResponses } from './domain-responses.js';
import { DomainsController } from './domains.controller.js';
import { GetDomain } from './get-domain.js';
import { ListDomains } from './list-domains.js';
import { HoldDomain } from './hold-domain.js';
import { HoldDomainController } from './hold-domain.controller.js';
import { NewDomains } from './new-domains.js';
import { RecordProblemsController } from './record-problems.controller.js';
import { SubAccountDomainsController } from './sub-account-domains.controller.js';
import { UnpauseDomain } from './unpause-domain.js';
import { UpdateDomain } from './update-domain.js';

@Module({
  imports: [DomainStoreModule, DnsModule, DkimKeysModule, ManagedZoneModule, PausesModule],
  controllers: [
    DomainsController,
    SubAccountDomainsController,
    HoldDomainController,
    RecordProblemsController,
  ],
  providers: [
    ListDomains,
    BannedDomains,
    NewDomains,
    CreateDomain,
    GetDomain,
    UpdateDomain,
    DeleteDomain,
    CheckDns,
    UnpauseDomain,
    HoldDomain,
    DomainResponses,
  ],
  exports: [GetDomain, NewDomains],
})
export class SendingDomainsModule {}
