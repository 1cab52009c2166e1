/** The reaction that a signal asks for. */
export interface Asked {
  readonly do: 'halve' | 'slow' | 'suspend';
  /** a connection was rejected: it says nothing about a rate */
  readonly connectionsOnly?: boolean;
  /** duration of a suspension, or of the time without raises, ms; repeated suspensions double it */
  readonly forMs?: number | undefined;
  readonly longestMs?: number | undefined;
}

/**
 * The limit of a host that a signal has shown: raises end below it, and try it again from time to time
 * (docs/decisions/0170). Without it, each raise would lead to the next signal.
 */
export interface MetLimit extends Asked {
  /** messages a second; left out where too few were tried to measure */
  readonly perSecond?: number | undefined;
  /** at which the signal came */
  readonly connections: number;
  /** no raise goes beyond it before, Unix ms; missing in rows of the release before */
  readonly keptUntil?: number | undefined;
  /** signals in a row that have shown it */
  readonly times?: number | undefined;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** It is used so far: a signal comes when the rate is above the limit of the host, by the tenth of a raise at most. */
const USED_PART = 0.9;
/** Signals at rates within a quarter show the same limit. */
const SAME_PART = 0.25;
/** A try costs some minutes at half of the rate, or a suspension: it is rare in proportion, and rarer each time. */
const KEPT_MS = 15 * MINUTE;
const LONGEST_KEPT_MS = 2 * HOUR;
const KEPT_PER_SUSPENSION = 12;
/** Less than a day, after which limits without a change fade. */
const LONGEST_KEPT_AFTER_SUSPENSION_MS = 20 * HOUR;
const MOST_DOUBLINGS = 10;

/** @param before the limit that was known */
export const metAgain = (met: MetLimit, before: MetLimit | undefined): MetLimit => ({
  ...met,
  times: before !== undefined && isSame(met, before) ? (before.times ?? 1) + 1 : 1,
});

function isSame(met: MetLimit, before: MetLimit): boolean {
  if (met.connectionsOnly !== before.connectionsOnly) return false;
  if (met.connectionsOnly) return Math.abs(met.connections - before.connections) <= 1;
  if (met.perSecond === undefined || before.perSecond === undefined) return false;
  return Math.abs(met.perSecond - before.perSecond) <= SAME_PART * before.perSecond;
}

export function keptFor(
  met: MetLimit,
  { now, suspendedUntil }: { now: number; suspendedUntil: number | null },
): MetLimit {
  const longer = 2 ** Math.min((met.times ?? 1) - 1, MOST_DOUBLINGS);
  if (suspendedUntil === null)
    return { ...met, keptUntil: now + Math.min(KEPT_MS * longer, LONGEST_KEPT_MS) };
  const ms = (suspendedUntil - now) * KEPT_PER_SUSPENSION * longer;
  return { ...met, keptUntil: suspendedUntil + Math.min(ms, LONGEST_KEPT_AFTER_SUSPENSION_MS) };
}

/** @returns undefined when raises may go beyond it */
export const knownLimit = (met: MetLimit | undefined, now: number): MetLimit | undefined =>
  met?.keptUntil !== undefined && now < met.keptUntil ? met : undefined;

export const mostConnections = (known: MetLimit | undefined): number =>
  known?.connectionsOnly ? known.connections - 1 : Number.POSITIVE_INFINITY;

export const mostPerSecond = (known: MetLimit | undefined): number =>
  known === undefined || known.connectionsOnly || known.perSecond === undefined
    ? Number.POSITIVE_INFINITY
    : USED_PART * known.perSecond;
