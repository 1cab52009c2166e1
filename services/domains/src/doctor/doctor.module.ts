import { Module } from '@nestjs/common';
import { DnsModule } from '../dns/dns.module.js';
import { DomainStoreModule } from '../domain-store/domain-store.module.js';
import { ProviderViewsModule } from '../provider-views/provider-views.module.js';
import { DoctorController } from './doctor.controller.js';
import { ExamineDomain } from './examine-domain.js';
import { LookAround } from './look-around.js';

/** The deliverability of a domain, check by check. */
@Module({
  imports: [DnsModule, DomainStoreModule, ProviderViewsModule],
  controllers: [DoctorController],
  providers: [ExamineDomain, LookAround],
})
export class DoctorModule {}
