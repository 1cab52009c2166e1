import { Module } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DkimKeysModule } from '../dkim-keys/dkim-keys.module.js';
import { DomainStoreModule } from '../domain-store/domain-store.module.js';
import { ManagedZoneModule } from '../managed-zone/managed-zone.module.js';
import { CAresResolver } from './c-ares.resolver.js';
import { CheckDomain } from './check-domain.js';
import { DNS_RESOLVER } from './dns-resolver.port.js';
import { DomainStates } from './domain-states.js';
import { RecheckDomains } from './recheck-domains.js';
import { RecordLookups } from './record-lookups.js';

@Module({
  imports: [DomainStoreModule, DkimKeysModule, ManagedZoneModule],
  providers: [
    {
      provide: DNS_RESOLVER,
      inject: [SETTINGS],
      useFactory: ({ dnsServers }: Settings) => new CAresResolver({ servers: dnsServers }),
    },
    RecordLookups,
    CheckDomain,
    RecheckDomains,
    DomainStates,
  ],
  exports: [DNS_RESOLVER, RecordLookups, CheckDomain],
})
export class DnsModule {}
