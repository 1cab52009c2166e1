import { ChangeAccountLimits } from './change-account-limits.js';
import { OperatorAccountsController } from './operator-accounts.controller.js';
import { OperatorAccountsView } from './operator-accounts.view.js';
import { OperatorApiKeysController } from './operator-api-keys.controller.js';
import { OperatorAuditController } from './operator-audit.controller.js';
import { OperatorStatesController } from './operator-states.controller.js';
import { RemoveAccount } from './remove-account.js';
import { TransferOwnership } from './transfer-ownership.js';

/** What the accounts service has for operators. */
export const OPERATOR_PARTS = {
  controllers: [
    OperatorAccountsController,
    OperatorStatesController,
    OperatorApiKeysController,
    OperatorAuditController,
  ],
  providers: [OperatorAccountsView, ChangeAccountLimits, TransferOwnership, RemoveAccount],
} as const;
