import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountEntity } from '../account/account.entity.js';
import { AccountModule } from '../account/account.module.js';
import { MemberEntity } from '../members/people.js';
import { CreateSubAccount } from './create-sub-account.js';
import { FiguresForOlderGateways } from './figures-for-older-gateways.js';
import { ReportUsage } from './report-usage.js';
import { FindSubAccountFigures } from './sub-account-figures.js';
import { SubAccountsController } from './sub-accounts.controller.js';
import { SubAccountsRepository } from './sub-accounts.repository.js';
import { UsageReportController } from './usage-report.controller.js';

@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity, MemberEntity]), AccountModule],
  controllers: [SubAccountsController, UsageReportController],
  providers: [
    SubAccountsRepository,
    FiguresForOlderGateways,
    FindSubAccountFigures,
    CreateSubAccount,
    ReportUsage,
  ],
  exports: [ReportUsage],
})
export class SubAccountsModule {}
