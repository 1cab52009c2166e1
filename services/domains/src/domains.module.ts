import { Module } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountSettingsController } from './account-settings/account-settings.controller.js';
import { AccountSettingsStore } from './account-settings/account-settings.store.js';
import { CheckDnsController } from './check-dns/check-dns.controller.js';
import { CheckDnsHandler } from './check-dns/check-dns.handler.js';
import { CheckDomain } from './check-dns/check-domain.js';
import { DomainChecker } from './check-dns/domain-checker.js';
import { RecordCheck } from './check-dns/record-check.js';
import { BannedDomains } from './create-domain/banned-domains.js';
import { CreateDomainController } from './create-domain/create-domain.controller.js';
import { CreateDomainHandler } from './create-domain/create-domain.handler.js';
import { DomainMaker } from './create-domain/domain-maker.js';
import { DeleteDomainController } from './delete-domain/delete-domain.controller.js';
import { DeleteDomainHandler } from './delete-domain/delete-domain.handler.js';
import { RemoveDomains } from './delete-domain/remove-domains.js';
import { DkimKeys } from './dkim-keys/dkim-keys.repository.js';
import { KeyGeneration } from './dkim-keys/key-generation.js';
import { SigningKeyController } from './dkim-keys/signing-key.controller.js';
import { CAresResolver } from './dns-resolver/c-ares.resolver.js';
import { DNS_RESOLVER } from './dns-resolver/dns-resolver.port.js';
import { DomainCountsController } from './domain-lookup/domain-counts.controller.js';
import { DomainLookupController } from './domain-lookup/domain-lookup.controller.js';
import { FreeDomains } from './free-domains/free-domains.js';
import { OnAccountChanged } from './free-domains/on-account-changed.consumer.js';
import { GetDomainController } from './get-domain/get-domain.controller.js';
import { ListDomainsController } from './list-domains/list-domains.controller.js';
import { PublishedZoneController } from './published-zone/published-zone.controller.js';
import { DueDomains } from './recheck-domains/due-domains.js';
import { RecheckDomains } from './recheck-domains/recheck-domains.js';
import { SendingDomains } from './sending-domain/sending-domains.repository.js';
import { OperatorSystemDomainController } from './system-domain/operator-system-domain.controller.js';
import { SystemDomainController } from './system-domain/system-domain.controller.js';
import { SystemDomain } from './system-domain/system-domain.js';
import { UnpauseDomainController } from './unpause-domain/unpause-domain.controller.js';
import { UnpauseDomainHandler } from './unpause-domain/unpause-domain.handler.js';

@Module({
  controllers: [
    ListDomainsController,
    CreateDomainController,
    GetDomainController,
    DeleteDomainController,
    CheckDnsController,
    UnpauseDomainController,
    DomainCountsController,
    DomainLookupController,
    SigningKeyController,
    PublishedZoneController,
    AccountSettingsController,
    SystemDomainController,
    OperatorSystemDomainController,
  ],
  providers: [
    OnAccountChanged,
    {
      provide: DNS_RESOLVER,
      inject: [SETTINGS],
      useFactory: ({ dnsServers }: Settings) => new CAresResolver({ servers: dnsServers }),
    },
    SendingDomains,
    AccountSettingsStore,
    BannedDomains,
    DomainMaker,
    CreateDomainHandler,
    RemoveDomains,
    DeleteDomainHandler,
    UnpauseDomainHandler,
    FreeDomains,
    SystemDomain,
    KeyGeneration,
    DkimKeys,
    DomainChecker,
    RecordCheck,
    CheckDomain,
    CheckDnsHandler,
    DueDomains,
    RecheckDomains,
  ],
})
export class DomainsModule {}
