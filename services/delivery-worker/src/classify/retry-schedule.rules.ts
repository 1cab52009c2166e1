/** When a message that was not delivered is tried again. */
export interface RetryPlan {
  /** after failure 1, 2, …; one failure more than there are delays ends the message */
  readonly delaysSeconds: readonly number[];
  /** from the first attempt */
  readonly windowSeconds: number;
  /** 0.1 = ±10 % */
  readonly jitter: number;
}

/** Spec 2-messages §14.5: 5 m, 15 m, 40 m, 2 h, 4 h, 6 h, 10 h, ±10 %, within 24 h. */
export const RETRY_PLAN: RetryPlan = {
  delaysSeconds: [300, 900, 2_400, 7_200, 14_400, 21_600, 36_000],
  windowSeconds: 86_400,
  jitter: 0.1,
};

/** What ends a message that nobody refused for good. */
export type GiveUpReason = 'attempts' | 'window' | 'expires';

export type Retry = { readonly at: Date } | { readonly giveUp: GiveUpReason };

export interface DeliveryWindow {
  readonly firstAttemptAt: Date;
  readonly expires: Date | null;
}

/** The end of the delivery window (spec 2-messages §8.3), and whose limit it is. */
export function windowEnd(
  window: DeliveryWindow,
  plan: RetryPlan = RETRY_PLAN,
): { at: Date; by: 'window' | 'expires' } {
  const end = new Date(window.firstAttemptAt.getTime() + plan.windowSeconds * 1000);
  return window.expires !== null && window.expires < end
    ? { at: window.expires, by: 'expires' }
    : { at: end, by: 'window' };
}

/**
 * @param failures so far, this one included
 * @param random 0..1
 * @returns when to try again; a retry that would come after the end of the window is not made
 */
export function nextRetry(
  failures: number,
  window: DeliveryWindow,
  { now, random, plan = RETRY_PLAN }: { now: Date; random: number; plan?: RetryPlan },
): Retry {
  const delaySeconds = plan.delaysSeconds[failures - 1];
  const end = windowEnd(window, plan);
  if (now >= end.at) return { giveUp: end.by };
  if (delaySeconds === undefined) return { giveUp: 'attempts' };
  const factor = 1 - plan.jitter + 2 * plan.jitter * random;
  const at = new Date(now.getTime() + Math.round(delaySeconds * factor * 1000));
  return at > end.at ? { giveUp: end.by } : { at };
}
