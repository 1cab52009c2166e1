import { Module } from '@nestjs/common';
import { OnAccountChanged } from './account-changes/on-account-changed.consumer.js';
import { ReleaseDomains } from './account-changes/release-domains.js';
import { DkimKeysModule } from './dkim-keys/dkim-keys.module.js';
import { DkimRotationModule } from './dkim-rotation/dkim-rotation.module.js';
import { DnsModule } from './dns/dns.module.js';
import { DnsHostTokensModule } from './dns-host-tokens/dns-host-tokens.module.js';
import { DoctorModule } from './doctor/doctor.module.js';
import { DomainConnectModule } from './domain-connect/domain-connect.module.js';
import { DomainLookupController } from './domain-lookup/domain-lookup.controller.js';
import { DomainStoreModule } from './domain-store/domain-store.module.js';
import { EgressAddressesModule } from './egress-addresses/egress-addresses.module.js';
import { ManagedZoneModule } from './managed-zone/managed-zone.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { ReportRecordsModule } from './report-records/report-records.module.js';
import { SendingDomainsModule } from './sending-domains/sending-domains.module.js';
import { SystemDomainModule } from './system-domain/system-domain.module.js';

@Module({
  imports: [
    DomainStoreModule,
    DkimKeysModule,
    DnsModule,
    SendingDomainsModule,
    SystemDomainModule,
    OperatorModule,
    ManagedZoneModule,
    DkimRotationModule,
    DomainConnectModule,
    EgressAddressesModule,
    DnsHostTokensModule,
    ReportRecordsModule,
    DoctorModule,
  ],
  controllers: [DomainLookupController, OnAccountChanged],
  providers: [ReleaseDomains],
})
export class DomainsModule {}
