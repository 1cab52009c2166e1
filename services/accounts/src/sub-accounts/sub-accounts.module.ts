import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { CreateSubAccount } from './create-sub-account.js';
import { ReportUsage } from './report-usage.js';
import { FindSubAccountFigures } from './sub-account-figures.js';
import { SubAccountsController } from './sub-accounts.controller.js';
import { SubAccountsRepository } from './sub-accounts.repository.js';

@Module({
  imports: [AccountModule],
  controllers: [SubAccountsController],
  providers: [SubAccountsRepository, FindSubAccountFigures, CreateSubAccount, ReportUsage],
  exports: [ReportUsage],
})
export class SubAccountsModule {}
