import type { DnsState } from '../sending-domain/sending-domain.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The stored result is fresh for this long: check-dns then looks nothing up (spec 1-platform §11.3). */
const FRESH_MS = MINUTE;

/** While a domain does not validate: minutes after it came into that state, then hourly, then daily (§11.4 rule 7). */
const FIRST_LOOKS_MS = [1, 5, 15, 30].map((minutes) => minutes * MINUTE);
const HOURLY_FOR_MS = 14 * DAY;

const SUSPECT_MS = 5 * MINUTE;
const VALID_MS = { from: 15 * MINUTE, to: 30 * MINUTE };

export const isFresh = (lastCheck: Date | null, now: Date): boolean =>
  lastCheck !== null && now.getTime() - lastCheck.getTime() < FRESH_MS;

/**
 * When the background looks next.
 * @param since when the domain came into its state
 * @param chance from 0 to 1: spreads the valid domains, so that they do not come due together
 */
export function nextCheckAt(about: { state: DnsState; since: Date; now: Date; chance: number }): Date {
  const now = about.now.getTime();
  return new Date(now + waitMs(about.state, now - about.since.getTime(), about.chance));
}

function waitMs(state: DnsState, ageMs: number, chance: number): number {
  if (state === 'valid') return VALID_MS.from + chance * (VALID_MS.to - VALID_MS.from);
  if (state === 'suspect') return SUSPECT_MS;
  const early = FIRST_LOOKS_MS.find((at) => at > ageMs);
  if (early !== undefined) return early - ageMs;
  return ageMs < HOURLY_FOR_MS ? HOUR : DAY;
}
