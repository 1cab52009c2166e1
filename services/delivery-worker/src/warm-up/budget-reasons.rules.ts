import { groupName } from '../shaping/slow-down.rules.js';
import type { StageBudget } from './warm-up.rules.js';

/** Each reason of a wait for a budget begins so. */
export const BUDGET_REASON = 'the warm-up budget of ';

export const BUDGET_UNREAD = `${BUDGET_REASON}its source could not be read`;

export function budgetSpent(
  { source, provider }: { source: string; provider: string },
  { day, hour }: StageBudget,
  stage: number,
): string {
  const limits = `${day} a day and ${hour} an hour at stage ${stage + 1}`;
  return `${BUDGET_REASON}${source} with ${groupName(provider)} is used up (${limits})`;
}

/** Whether the recorded reason of a wait is the budget of a new address. */
export const isOfBudget = (reason: string): boolean => reason.startsWith(BUDGET_REASON);
