import type { GiveUpReason } from '@postmesh/delivery-worker-contract';
import type { Settings } from '@postmesh/settings';

/** The schedule of retries of a message. */
export interface RetryPlan {
  /** after failure 1, 2, …; one failure more than there are delays ends the message */
  readonly delaysSeconds: readonly number[];
  /** from the first attempt */
  readonly windowSeconds: number;
}

// Spec 2-messages §14.5: ±10 %.
const JITTER = 0.1;

/** The settings hold the schedule of spec 2-messages §14.5 as their defaults. */
export function retryPlan(
  settings: Pick<Settings, 'retryDelaysSeconds' | 'deliveryWindowSeconds'>,
): RetryPlan {
  return {
    delaysSeconds: settings.retryDelaysSeconds.map(Number),
    windowSeconds: settings.deliveryWindowSeconds,
  };
}

export interface DeliveryWindow {
  readonly firstAttemptAt: Date;
  readonly expires: Date | null;
}

/** The end of the delivery window (spec 2-messages §8.3), and which limit it is. */
export function windowEnd(window: DeliveryWindow, plan: RetryPlan): { at: Date; by: 'window' | 'expires' } {
  const end = new Date(window.firstAttemptAt.getTime() + plan.windowSeconds * 1000);
  return window.expires !== null && window.expires < end
    ? { at: window.expires, by: 'expires' }
    : { at: end, by: 'window' };
}

/**
 * @param failures so far, this one included
 * @param context.random 0..1
 * @returns when to try again; a retry that would come after the end of the window is not made
 */
export function nextRetry(
  failures: number,
  window: DeliveryWindow,
  { now, random, plan }: { now: Date; random: number; plan: RetryPlan },
): { readonly at: Date } | { readonly giveUp: GiveUpReason } {
  const delaySeconds = plan.delaysSeconds[failures - 1];
  const end = windowEnd(window, plan);
  if (now >= end.at) return { giveUp: end.by };
  if (delaySeconds === undefined) return { giveUp: 'attempts' };
  const factor = 1 - JITTER + 2 * JITTER * random;
  const at = new Date(now.getTime() + Math.round(delaySeconds * factor * 1000));
  return at > end.at ? { giveUp: end.by } : { at };
}
