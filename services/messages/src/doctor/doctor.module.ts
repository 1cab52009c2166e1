import { Module } from '@nestjs/common';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { OwnAddressesModule } from '../own-addresses/own-addresses.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { DoctorController, OperatorDoctorController } from './doctor.controller.js';
import { DomainFigures } from './domain-figures.js';
import { ExamineDomain } from './examine-domain.js';
import { FeedbackOfDomain } from './feedback-figures.js';

/** The doctor of a domain, for members and operators. */
@Module({
  imports: [DomainChangesModule, OwnAddressesModule, StatisticsModule],
  controllers: [DoctorController, OperatorDoctorController],
  providers: [DomainFigures, ExamineDomain, FeedbackOfDomain],
})
export class DoctorModule {}
