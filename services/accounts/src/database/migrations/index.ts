import { AddAccountLimits1764000000140 } from './add-account-limits.js';
import { AddSubAccountPage1764000000150 } from './add-sub-account-page.js';
import { CreateAccounts1764000000100 } from './create-accounts.js';
import { CreateApiKeys1764000000110 } from './create-api-keys.js';
import { CreateAuditLog1764000000130 } from './create-audit-log.js';
import { CreateKeyChanges1764000000120 } from './create-key-changes.js';
import { IndexAudit1764000000170 } from './index-audit.js';
import { KeepParentSuspension1764000000180 } from './keep-parent-suspension.js';

export const ACCOUNTS_MIGRATIONS = [
  CreateAccounts1764000000100,
  CreateApiKeys1764000000110,
  CreateKeyChanges1764000000120,
  CreateAuditLog1764000000130,
  AddAccountLimits1764000000140,
  AddSubAccountPage1764000000150,
  IndexAudit1764000000170,
  KeepParentSuspension1764000000180,
] as const;
