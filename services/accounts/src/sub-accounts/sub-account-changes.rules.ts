import type { SubAccountDecision } from './change-sub-account.js';
import type { UpdateSubAccountBody } from './sub-account.schema.js';
import { resumption, suspension } from './suspension.rules.js';
import { updated } from './update-sub-account.rules.js';

/** What a parent can do to a child; each is told the child as it is while nobody else changes it. */
export const subAccountChanges = {
  update:
    (input: UpdateSubAccountBody): SubAccountDecision =>
    (child) => {
      const columns = updated(child, input);
      const { name, website, monthlyCredit } = columns;
      const details = { name, website, monthly_credit: monthlyCredit };
      return { action: 'account.update', columns, details };
    },

  suspend:
    (reason: string): SubAccountDecision =>
    (child, now) => {
      const columns = suspension(child, reason, now);
      return columns && { action: 'account.suspend', columns, details: { reason } };
    },

  unsuspend: (): SubAccountDecision => (child) => {
    const columns = resumption(child);
    return columns && { action: 'account.resume', columns, details: {} };
  },
} as const;
