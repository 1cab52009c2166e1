import { Module } from '@nestjs/common';
import { DkimKeysModule } from '../dkim-keys/dkim-keys.module.js';
import { DnsModule } from '../dns/dns.module.js';
import { DomainStoreModule } from '../domain-store/domain-store.module.js';
import { ManagedZoneModule } from '../managed-zone/managed-zone.module.js';
import { AdvanceRotation } from './advance-rotation.js';
import { RotateKeys } from './rotate-keys.js';
import { RotationFactsStore } from './rotation-facts.js';
import { StandbyKeyLookup } from './standby-key-lookup.js';

@Module({
  imports: [DomainStoreModule, DkimKeysModule, DnsModule, ManagedZoneModule],
  providers: [RotationFactsStore, StandbyKeyLookup, AdvanceRotation, RotateKeys],
})
export class DkimRotationModule {}
