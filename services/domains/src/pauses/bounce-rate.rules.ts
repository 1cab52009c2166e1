import type { BounceFigures } from '@postmesh/messages-contract';

export type BounceFigure = BounceFigures['figures'][number];

export interface PauseLimits {
  /** bounced / (delivered + bounced); above it a domain is paused */
  pauseBounceRate: number;
  pauseMinBounces: number;
}

/** Too many bounces, of a significant number (spec 1-platform §11.8 rule 1). */
export function bouncesTooMuch(
  { delivered, bounced }: Pick<BounceFigure, 'delivered' | 'bounced'>,
  { pauseBounceRate, pauseMinBounces }: PauseLimits,
): boolean {
  return bounced >= pauseMinBounces && bounced > pauseBounceRate * (delivered + bounced);
}

/** Time of the last lift of each domain, by `keyOf`. */
export type LastLifts = ReadonlyMap<string, Date>;

export const keyOf = ({ account_id, domain }: { account_id: string; domain: string }): string =>
  `${account_id}/${domain}`;

/**
 * Bounces before a lift do not count again (§11.8 rule 3): figures that begin before it have to be fetched again.
 */
export function splitByLift(figures: readonly BounceFigure[], lifts: LastLifts) {
  const counted: BounceFigure[] = [];
  const askAgain: { account_id: string; domain: string; since: string }[] = [];
  for (const figure of figures) {
    const lift = lifts.get(keyOf(figure));
    if (lift === undefined || lift <= new Date(figure.from)) counted.push(figure);
    else askAgain.push({ account_id: figure.account_id, domain: figure.domain, since: lift.toISOString() });
  }
  return { counted, askAgain };
}
