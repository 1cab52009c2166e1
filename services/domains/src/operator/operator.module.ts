import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DomainPause, SendingDomain } from '../database/entities.js';
import { DomainStoreModule } from '../domain-store/domain-store.module.js';
import { EgressAddressesModule } from '../egress-addresses/egress-addresses.module.js';
import { PausesModule } from '../pauses/pauses.module.js';
import { DkimRotations } from './dkim-rotations.js';
import { DomainReports } from './domain-reports.js';
import { OperatorDomainsController } from './operator-domains.controller.js';
import { OperatorController } from './operator.controller.js';
import { PublishedZone } from './published-zone.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([SendingDomain, DomainPause]),
    DomainStoreModule,
    EgressAddressesModule,
    PausesModule,
  ],
  controllers: [OperatorController, OperatorDomainsController],
  providers: [DkimRotations, DomainReports, PublishedZone],
})
export class OperatorModule {}
