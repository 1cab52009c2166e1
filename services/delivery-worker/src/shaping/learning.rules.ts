import { maskAddress } from '@postmesh/observability';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import {
  keptFor,
  knownLimit,
  metAgain,
  mostConnections,
  mostPerSecond,
  type Asked,
  type MetLimit,
} from './known-limit.rules.js';

/**
 * How the limits of an MX group are learnt from the replies of its hosts (docs/decisions/0039, 0170): additive raises per
 * window, halving at a signal, suspension with an end. Everything is per group and source address; times are Unix ms.
 */

/** The part of a provider's row that learning begins with. */
export interface ProviderLimits {
  readonly id: string;
  readonly connections: { readonly start: number; readonly cap: number };
  /** messages over one connection */
  readonly perConnection: number;
  /** published by the provider: never more messages a second */
  readonly ratePerSecond?: number | undefined;
  /** its replies change no limits */
  readonly learns?: false | undefined;
}

/** A reply of a host, and the reaction to it. */
export interface Cause {
  readonly code: number;
  readonly enhanced?: string | undefined;
  readonly text: string;
  readonly host?: string | undefined;
  /** our source address, where it is known */
  readonly address?: string | undefined;
  readonly at: number;
  readonly did: string;
  /** nothing changes before the operator acts: requests a delisting, publishes a record */
  readonly alert?: true | undefined;
  /** the signal and the use when it came: a forecast assumes that the host sends it again at this use */
  readonly met?: MetLimit | undefined;
  /** it has taken nothing since the last cut */
  readonly closed?: true | undefined;
}

export interface ShapingState {
  readonly connections: number;
  /** messages a second; null = not paced: no reply has spoken of a rate */
  readonly rate: number | null;
  /** messages over one connection as learnt; null = the provider's row decides */
  readonly perConnection: number | null;
  /** half of the connections that failed last: recovery doubles up to it */
  readonly half: number | null;
  /** when the window began at whose end limits may rise */
  readonly windowFrom: number;
  /** replies until then belong to the last cut */
  readonly deafUntil: number;
  /** no raise before */
  readonly heldUntil: number;
  /** nothing is sent before; after it, one message probes. null = not suspended */
  readonly suspendedUntil: number | null;
  /** suspensions, each soon after the one before */
  readonly strikes: number;
  /** cuts in a row at the lower limits, and the time of the first of them */
  readonly floorCuts: number;
  readonly floorFrom: number;
  /** time of the last signal, or of the end of the suspension that followed it */
  readonly troubledAt: number | null;
  /** time of the last raise or cut; 0 = nothing was learnt */
  readonly changedAt: number;
  readonly cause: Cause | null;
}

export interface Cut extends Asked {
  readonly cause: Omit<Cause, 'did'>;
}

/** The use of a group by all workers together since its window began. */
export interface WindowUse {
  readonly results: number;
  /** connections at once, at most */
  readonly peak: number;
  /** messages a second */
  readonly rate: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const WINDOW_MS = 30 * SECOND;
const RESULTS_PER_CONNECTION = 4;
/** As in Postfix: an unused limit is never raised. */
const IN_USE = 0.8;
const DEAF_MS = 30 * SECOND;
const MIN_CONNECTIONS = 1;
/** 6 messages a minute */
export const MIN_RATE = 0.1;
const START_RATE = 10;
/** Above it a rate limits nothing any more: connections and latency do. */
const MAX_RATE = 100;
const FLOOR_CUTS = 3;
const FLOOR_MS = 10 * MINUTE;
const SUSPEND_MS = 10 * MINUTE;
const LONGEST_MS = HOUR;
const LONGEST_BY_RULE_MS = 12 * HOUR;
const STRIKES_FORGOTTEN_MS = 6 * HOUR;
const FORGOTTEN_DAYS = 14;
const FADE_PER_DAY = 0.25;
const PER_CONNECTION_GROWTH = 1.1;
/** A host that has taken nothing since the last cut is closed. */
const CLOSED_MS = MINUTE;
const LONGEST_CLOSED_MS = 10 * MINUTE;
/** After 4.7.28 Google requires one connection, then one more at a time (support.google.com/a/answer/81126). */
const STEPWISE = new Set(['google']);

export const initialState = (provider: ProviderLimits, now: number): ShapingState => ({
  connections: provider.connections.start,
  rate: provider.ratePerSecond ?? null,
  perConnection: null,
  half: null,
  windowFrom: now,
  deafUntil: 0,
  heldUntil: 0,
  suspendedUntil: null,
  strikes: 0,
  floorCuts: 0,
  floorFrom: 0,
  troubledAt: null,
  changedAt: 0,
  cause: null,
});

export const isSuspended = ({ suspendedUntil }: ShapingState, now: number): boolean =>
  suspendedUntil !== null && now < suspendedUntil;

/** The suspension is over, and the reply to one message decides what follows. */
export const isProbing = ({ suspendedUntil }: ShapingState, now: number): boolean =>
  suspendedUntil !== null && now >= suspendedUntil;

/** The use of a host when a signal came. */
interface UseAtSignal {
  readonly now: number;
  /** messages a second that the host took recently, from all workers; undefined where too few were tried */
  readonly rate: number | undefined;
  /** false: it has taken nothing since the last cut */
  readonly isOpen?: boolean;
}

/**
 * A signal came.
 * @returns undefined when it belongs to an earlier reaction
 */
export function cut(
  state: ShapingState,
  given: Cut,
  { now, rate: taken, isOpen = true }: UseAtSignal,
): ShapingState | undefined {
  if (isSuspended(state, now)) return undefined;
  const wasClosed = state.cause?.closed === true && given.do !== 'suspend';
  if (isProbing(state, now))
    return wasClosed ? closed(state, given, now) : suspend(state, asBefore(state, given), now);
  if (now < state.deafUntil && given.do !== 'suspend') return undefined;
  // it says nothing about a limit: the host has taken nothing since it showed the last one
  if (!isOpen && state.cause?.met !== undefined && given.do !== 'suspend' && !given.connectionsOnly)
    return closed({ ...state, strikes: 0 }, given, now);
  // the half minute of the measurement may have had a break: a signal leaves a quarter of a learnt rate
  const rate = taken === undefined ? undefined : Math.max(taken, (state.rate ?? 0) / 2);
  const signal = { ...given, cause: { ...given.cause, met: limitMet(state, given, rate) } };
  if (signal.do === 'suspend') return kept(suspend(slowed(state, rate), signal, now), now);
  const next = signal.do === 'slow' ? slowed(state, rate) : halved(state, signal, rate);
  if (!isAtFloor(state, signal)) return kept(signaled({ ...next, floorCuts: 0 }, signal, now), now);
  const counted = countFloorCut(next, now);
  if (counted.floorCuts < FLOOR_CUTS) return signaled(counted, signal, now);
  return suspend(counted, { ...signal, forMs: SUSPEND_MS, longestMs: LONGEST_MS }, now);
}

/** A minute at first, whatever was before: a host that slows down for a while is open again soon. */
function closed(state: ShapingState, given: Cut, now: number): ShapingState {
  const signal = { ...given, do: 'suspend', forMs: CLOSED_MS, longestMs: LONGEST_CLOSED_MS } as const;
  return suspend(state, asBefore(state, { ...signal, cause: { ...signal.cause, closed: true } }), now);
}

/** The limit stays the one that is known: a failed probe shows none. */
const asBefore = ({ cause }: ShapingState, signal: Cut): Cut => ({
  ...signal,
  cause: { ...signal.cause, met: cause?.met },
});

const limitMet = (
  { connections, cause }: ShapingState,
  { do: done, connectionsOnly = false, forMs, longestMs }: Cut,
  perSecond: number | undefined,
): MetLimit => metAgain({ do: done, connectionsOnly, forMs, longestMs, perSecond, connections }, cause?.met);

/** No raise goes beyond the limit that was met for a while. */
function kept(state: ShapingState, now: number): ShapingState {
  const { cause, suspendedUntil } = state;
  if (!cause?.met) return state;
  return { ...state, cause: { ...cause, met: keptFor(cause.met, { now, suspendedUntil }) } };
}

/** More than two weak signals came in a window: one connection less, and no other change. */
export function narrow(
  state: ShapingState,
  cause: Omit<Cause, 'did'>,
  now: number,
): ShapingState | undefined {
  if (state.suspendedUntil !== null || now < state.deafUntil) return undefined;
  if (state.connections <= MIN_CONNECTIONS) return undefined;
  const next = { ...state, connections: state.connections - 1 };
  return signaled(next, asBefore(state, { do: 'halve', cause }), now);
}

/** The server ends connections after this many messages: ours end before. */
export function limitPerConnection(
  state: ShapingState,
  { good, provider, now }: { good: number; provider: ProviderLimits; now: number },
): ShapingState | undefined {
  const learnt = Math.max(1, good - 1);
  if (learnt >= (state.perConnection ?? provider.perConnection)) return undefined;
  return { ...state, perConnection: learnt, changedAt: now };
}

/** @returns undefined when the window is not over, was not used, or nothing is left to raise */
export function closeWindow(
  state: ShapingState,
  use: WindowUse,
  { provider, now }: { provider: ProviderLimits; now: number },
): ShapingState | undefined {
  const { connections, rate } = state;
  const isOver = now >= state.windowFrom + WINDOW_MS && use.results >= RESULTS_PER_CONNECTION * connections;
  if (!isOver || state.suspendedUntil !== null || now < state.heldUntil) return undefined;
  const known = knownLimit(state.cause?.met, now);
  const more = use.peak >= IN_USE * connections ? raisedConnections(state, provider, known) : connections;
  const faster = rate !== null && use.rate >= IN_USE * rate ? raisedRate(rate, provider, known) : rate;
  if (more === connections && faster === rate) return undefined;
  const half = state.half !== null && more < state.half ? state.half : null;
  return { ...state, connections: more, rate: faster, half, windowFrom: now, changedAt: now };
}

/** The probe was accepted without a signal: limits rise again from one connection. */
export function recover(state: ShapingState, now: number): ShapingState | undefined {
  if (!isProbing(state, now)) return undefined;
  return { ...state, suspendedUntil: null, windowFrom: now, troubledAt: now, changedAt: now };
}

/** An operator overrides it: one message probes at once, the next suspension counts as the first one, no limit is kept. */
export function lift(state: ShapingState, now: number): ShapingState | undefined {
  if (!isSuspended(state, now)) return undefined;
  const cause = state.cause && {
    ...state.cause,
    met: state.cause.met && { ...state.cause.met, keptUntil: now },
  };
  return { ...state, suspendedUntil: now, strikes: 0, deafUntil: 0, changedAt: now, cause };
}

/** The rest of a state after a time without changes: it fades by a quarter of the way to the start each day. */
export function faded(state: ShapingState, provider: ProviderLimits, now: number): ShapingState {
  const days = Math.floor((now - state.changedAt) / DAY);
  if (state.changedAt === 0 || days < 1 || state.suspendedUntil !== null) return state;
  if (days >= FORGOTTEN_DAYS) return initialState(provider, now);
  const { start } = provider.connections;
  const left = (1 - FADE_PER_DAY) ** days;
  const kept = provider.perConnection;
  const perConnection = Math.ceil((state.perConnection ?? kept) * PER_CONNECTION_GROWTH ** days);
  return {
    ...state,
    connections: Math.round(start + (state.connections - start) * left),
    rate: state.rate === null ? null : capped(state.rate / left, provider),
    perConnection: perConnection >= kept ? null : perConnection,
    half: null,
  };
}

function suspend(state: ShapingState, signal: Cut, now: number): ShapingState {
  const isClean =
    state.suspendedUntil === null &&
    (state.troubledAt === null || now - state.troubledAt >= STRIKES_FORGOTTEN_MS);
  const strikes = isClean ? 0 : state.strikes;
  const longestMs = Math.min(
    signal.longestMs ?? (signal.do === 'suspend' ? LONGEST_BY_RULE_MS : LONGEST_MS),
    LONGEST_BY_RULE_MS,
  );
  const forMs = Math.min((signal.forMs ?? SUSPEND_MS) * 2 ** Math.min(strikes, 10), longestMs);
  const next = {
    ...state,
    connections: MIN_CONNECTIONS,
    // a failed probe says nothing about the limit
    half:
      state.suspendedUntil === null
        ? Math.max(MIN_CONNECTIONS, Math.floor(state.connections / 2))
        : state.half,
    suspendedUntil: now + forMs,
    strikes: strikes + 1,
    floorCuts: 0,
  };
  return signaled(next, { ...signal, do: 'suspend' }, now);
}

const DID = { halve: 'slowed down', slow: 'slowed down', suspend: 'suspended' } as const;

const signaled = (state: ShapingState, { do: done, forMs, cause }: Cut, now: number): ShapingState => ({
  ...state,
  windowFrom: now,
  deafUntil: now + DEAF_MS,
  heldUntil: done === 'slow' && forMs !== undefined ? now + forMs : state.heldUntil,
  troubledAt: now,
  changedAt: now,
  cause: { ...cause, did: DID[done] },
});

function halved(
  state: ShapingState,
  { connectionsOnly = false }: Cut,
  rate: number | undefined,
): ShapingState {
  const connections = Math.max(MIN_CONNECTIONS, Math.floor(state.connections / 2));
  return { ...(connectionsOnly ? state : slowed(state, rate)), connections, half: null };
}

/**
 * Half of the measured rate, as the allowed rate may be far beyond it. Where too little was sent to measure, half of
 * the allowed rate, or of a cautious start: one slow-down among a few messages must not cost the next thousand hours.
 */
const slowed = (state: ShapingState, rate: number | undefined): ShapingState => ({
  ...state,
  rate: Math.max(MIN_RATE, Math.min(state.rate ?? MAX_RATE, rate ?? state.rate ?? START_RATE) / 2),
});

const isAtFloor = ({ connections, rate }: ShapingState, { connectionsOnly = false }: Cut): boolean =>
  connections <= MIN_CONNECTIONS && (connectionsOnly || (rate !== null && rate <= MIN_RATE));

function countFloorCut(state: ShapingState, now: number): ShapingState {
  const goesOn = state.floorCuts > 0 && now - state.floorFrom < FLOOR_MS;
  return goesOn ? { ...state, floorCuts: state.floorCuts + 1 } : { ...state, floorCuts: 1, floorFrom: now };
}

function raisedConnections(
  { connections, half }: ShapingState,
  provider: ProviderLimits,
  known: MetLimit | undefined,
): number {
  const doubles = half !== null && connections < half && !STEPWISE.has(provider.id);
  const wanted = doubles ? Math.min(connections * 2, half) : connections + 1;
  const raised = Math.min(provider.connections.cap, mostConnections(known), wanted);
  return Math.max(connections, raised);
}

/**
 * A twentieth of the cap, but no more than a tenth of itself: for a host that takes one message a second, five more
 * would lead to a cut in every window. Not beyond a limit that is known.
 */
function raisedRate(rate: number, provider: ProviderLimits, known: MetLimit | undefined): number | null {
  const wanted = rate + Math.min(MAX_RATE / 20, rate / 10);
  return capped(Math.max(rate, Math.min(mostPerSecond(known), wanted)), provider);
}

function capped(rate: number, { ratePerSecond }: ProviderLimits): number | null {
  if (ratePerSecond !== undefined) return Math.min(rate, ratePerSecond);
  return rate >= MAX_RATE ? null : rate;
}

/** The end of a connection, of those that ended while messages were waiting for them. */
export interface ConnectionEnd {
  /** messages that the server had accepted over it */
  readonly good: number;
  readonly byServer: boolean;
}

const ENDS = 5;
const SAME_ENDS = 3;

/** @returns how many messages the server takes per connection, when three of the last five ended after the same number */
export function endsAfter(ends: readonly ConnectionEnd[]): number | undefined {
  const last = ends.slice(-ENDS).filter(({ good, byServer }) => byServer && good >= 1);
  return last
    .map(({ good }) => good)
    .find((good) => last.filter((end) => end.good === good).length >= SAME_ENDS);
}

/** Keeps only as many ends as are used. */
export const withEnd = (ends: readonly ConnectionEnd[], end: ConnectionEnd): readonly ConnectionEnd[] =>
  [...ends, end].slice(-ENDS);

// Servers like to repeat the recipient, and this text is shown with every message that waits.
const ADDRESS = /[^\s<>()"',;:]+@[^\s<>()"',;:]+/g;
const MAX_TEXT = 300;

/** A reply in the form that is shown to people. */
export const causeOf = (
  { smtpCode, enhancedStatusCode, response, remoteHost }: SmtpOutcome,
  where: Pick<Cause, 'at' | 'address' | 'alert'>,
): Omit<Cause, 'did'> => ({
  code: smtpCode,
  ...(enhancedStatusCode === undefined ? {} : { enhanced: enhancedStatusCode }),
  text: response
    .slice(0, 2 * MAX_TEXT)
    .replace(ADDRESS, maskAddress)
    .slice(0, MAX_TEXT),
  ...(remoteHost === undefined ? {} : { host: remoteHost }),
  ...where,
});
