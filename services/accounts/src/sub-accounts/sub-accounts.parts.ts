import { SubAccountApiKeysController } from './api-keys/sub-account-api-keys.controller.js';
import { AskedFigures } from './asked-figures.js';
import { ChangeSubAccount } from './change-sub-account.js';
import { CreateSubAccount } from './create-sub-account.js';
import { DeleteSubAccount } from './delete-sub-account.js';
import { KnownSubAccountsController } from './known-sub-accounts.controller.js';
import { SubAccountsController } from './sub-accounts.controller.js';
import { SubAccountsRepository } from './sub-accounts.repository.js';
import { ReportUsage } from './usage/report-usage.js';
import { SubAccountUsageController } from './usage/sub-account-usage.controller.js';

/** For the module of the service. */
export const SUB_ACCOUNTS_PARTS = {
  controllers: [
    SubAccountsController,
    SubAccountUsageController,
    SubAccountApiKeysController,
    KnownSubAccountsController,
  ],
  providers: [
    SubAccountsRepository,
    AskedFigures,
    CreateSubAccount,
    ChangeSubAccount,
    DeleteSubAccount,
    ReportUsage,
  ],
};
