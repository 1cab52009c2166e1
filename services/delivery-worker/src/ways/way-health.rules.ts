/** The trouble of a way: servers that do not answer, relays that take no mail. */
export interface WayTrouble {
  /** hosts that could not be reached, since the last reply */
  readonly hosts: readonly string[];
  /** Unix ms; null: it is used */
  readonly closedUntil: number | null;
}

// One or two hosts may be down; three without a single reply in between are the way's own trouble (a closed port 25).
const HOSTS = 3;
// How long nothing is tried by it; then one message probes.
export const CLOSED_MS = 60_000;

const NONE: WayTrouble = { hosts: [], closedUntil: null };

/**
 * A host was not reached by this way.
 * @param needed number of hosts that close it
 */
export function notReached(
  before: WayTrouble | undefined,
  host: string,
  now: number,
  needed = HOSTS,
): WayTrouble {
  const { hosts, closedUntil } = before ?? NONE;
  const met = hosts.includes(host) ? hosts : [...hosts, host].slice(-needed);
  const isClosed = closedUntil !== null || met.length >= needed;
  return { hosts: met, closedUntil: isClosed ? now + CLOSED_MS : null };
}

/** It is left alone; at the end of its time one message may try it. */
export const isClosed = (trouble: WayTrouble | undefined, now: number): boolean =>
  trouble !== undefined && trouble.closedUntil !== null && now < trouble.closedUntil;

/** A message leaves by it: as long as it is in trouble, the others wait for what this one meets. */
export const tried = (trouble: WayTrouble, now: number): WayTrouble =>
  trouble.closedUntil === null ? trouble : { ...trouble, closedUntil: now + CLOSED_MS };
