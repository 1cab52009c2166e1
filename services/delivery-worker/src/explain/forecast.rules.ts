import {
  closeWindow,
  cut,
  isProbing,
  isSuspended,
  recover,
  type ProviderLimits,
  type ShapingState,
} from '../shaping/learning.rules.js';

/** A source address towards an MX group. */
export interface SourceNow {
  readonly state: ShapingState;
  readonly provider: ProviderLimits;
  /** connections that settings allow, of all workers together */
  readonly mostConnections: number;
  /** how long a message keeps a connection, s */
  readonly messageSeconds: number;
  /** messages a second that went over it in the last half minute */
  readonly perSecond: number;
  /** messages a second that a budget leaves: the place of warm-up, which has none yet */
  readonly budgetPerSecond?: number | undefined;
}

export interface Queued {
  /** may be sent now, or is being sent */
  readonly due: number;
  /** wait for their own time, earliest first; Unix ms */
  readonly later: readonly { readonly at: number; readonly messages: number }[];
}

const SECOND = 1_000;
// Workers close windows this often.
const STEP_MS = 5 * SECOND;
const FURTHEST_MS = 14 * 24 * 3_600 * SECOND;
// Rates are measured over half a minute, of which the last five seconds are half over, or all of them.
const MEASURED_STEPS = 6;
const MEASURED_PART = 11 / 12;
const MEASURED_AT_MOST = 1;

/** The limit of a source now, the least of all. */
export interface Ceiling {
  readonly by: 'suspension' | 'probe' | 'pace' | 'connections' | 'setting' | 'budget';
  readonly perSecond: number;
  readonly connections: number;
}

/** The limits that are in force now: the rules of shaping, the settings, the budget. */
export function ceilingOf(source: SourceNow, now: number): Ceiling {
  const { state, provider, mostConnections, messageSeconds, budgetPerSecond } = source;
  if (isSuspended(state, now)) return { by: 'suspension', perSecond: 0, connections: 0 };
  const over = (connections: number) => connections / messageSeconds;
  if (isProbing(state, now)) return { by: 'probe', perSecond: over(1), connections: 1 };
  const allowed = Math.min(state.connections, provider.connections.cap);
  const connections = Math.min(allowed, mostConnections);
  const limits: Ceiling[] = [
    { by: mostConnections < allowed ? 'setting' : 'connections', perSecond: over(connections), connections },
    ...(state.rate === null ? [] : [{ by: 'pace' as const, perSecond: state.rate, connections }]),
    ...(budgetPerSecond === undefined
      ? []
      : [{ by: 'budget' as const, perSecond: budgetPerSecond, connections }]),
  ];
  return limits.reduce((least, one) => (one.perSecond < least.perSecond ? one : least));
}

/**
 * When the queue of a group is empty. The rules of shaping run ahead: limits rise as they are used, a suspension ends at
 * its time and its probe is accepted, and the last signal comes again at the use at which it came.
 * @param sources that share the queue
 * @param measuredPart of a rate that a worker has measured when a signal comes
 * @returns Unix ms; null = not within two weeks
 */
export function emptyAt(
  queued: Queued,
  sources: readonly SourceNow[],
  now: number,
  measuredPart = MEASURED_PART,
): number | null {
  let [left, at] = [queued.due, now];
  const later = [...queued.later];
  let running: readonly Running[] = sources.map((source) => ({
    ...source,
    recent: Array.from({ length: MEASURED_STEPS }, () => source.perSecond),
  }));
  while (at - now < FURTHEST_MS) {
    while (later[0] !== undefined && later[0].at <= at) left += later.shift()?.messages ?? 0;
    const next = later[0]?.at;
    if (left <= 0 && next === undefined) return at;
    if (left <= 0 && next !== undefined) {
      // nothing is sent until then, and no window is used
      at = Math.max(at, next);
      running = running.map(rested);
      continue;
    }
    const rates = running.map((source) => ceilingOf(source, at).perSecond);
    const perSecond = rates.reduce((sum, one) => sum + one, 0);
    // nothing happens while every source is suspended
    const longest = perSecond === 0 ? FURTHEST_MS : STEP_MS;
    const untilNext = next === undefined ? longest : Math.max(1, next - at);
    const ms = Math.min(longest, untilNext, ...running.map((source) => untilChange(source, at)));
    const sent = (perSecond * ms) / SECOND;
    if (sent >= left && next === undefined) return at + (left / perSecond) * SECOND;
    left = Math.max(0, left - sent);
    at += ms;
    const step = { from: at - ms, to: at, measuredPart };
    running = running.map((source, nth) => moved(source, rates[nth] ?? 0, step));
  }
  return null;
}

/** More messages than foreseen come, or come back. */
const MORE = 1.05;

/**
 * The end of a queue, and the end with a twentieth more messages and signals that come a little sooner: the two are far
 * apart where the queue ends about when the host is expected to slow down next.
 */
export function endOf(queued: Queued, sources: readonly SourceNow[], now: number) {
  const more = { ...queued, due: Math.ceil(queued.due * MORE) };
  const [first, worst] = [emptyAt(queued, sources, now), emptyAt(more, sources, now, MEASURED_AT_MOST)];
  return { emptyAt: first, latestAt: first === null || worst === null ? null : Math.max(first, worst) };
}

/**
 * Accounts take turns: until the mail of one of them is sent, each of the others has been sent as much, or all of it.
 * @param others due messages of each other account
 */
export const sentUntilDone = (own: number, others: readonly number[]): number =>
  own + others.reduce((sum, due) => sum + Math.min(due, own), 0);

/** The end of a suspension and of its probe are met exactly. */
function untilChange({ state, messageSeconds }: SourceNow, at: number): number {
  const { suspendedUntil } = state;
  if (suspendedUntil === null) return Number.POSITIVE_INFINITY;
  return suspendedUntil > at ? suspendedUntil - at : messageSeconds * SECOND;
}

/** A source in the forecast, with its messages a second in the last steps. */
interface Running extends SourceNow {
  readonly recent: readonly number[];
}

const rested = (source: Running): Running => ({ ...source, recent: source.recent.map(() => 0) });

/** After a step in which so many messages a second were sent. */
function moved(
  source: Running,
  perSecond: number,
  { from, to, measuredPart }: { from: number; to: number; measuredPart: number },
): Running {
  const { state, provider, mostConnections } = source;
  if (isSuspended(state, from)) return rested(source);
  if (isProbing(state, from)) return { ...source, state: recover(state, to) ?? state };
  const recent = [...source.recent, perSecond].slice(-MEASURED_STEPS);
  const use = {
    results: perSecond * ((to - state.windowFrom) / SECOND),
    peak: Math.min(state.connections, mostConnections),
    rate: perSecond,
  };
  const risen = closeWindow(state, use, { provider, now: to }) ?? state;
  const mean = recent.reduce((sum, one) => sum + one, 0) / MEASURED_STEPS;
  return { ...source, recent, state: signaled(risen, mean * measuredPart, to) };
}

/** The signal comes again at the use at which the host has sent it before. */
function signaled(state: ShapingState, perSecond: number, now: number): ShapingState {
  const { cause } = state;
  if (!cause?.met) return state;
  const { perSecond: most, connections, ...signal } = cause.met;
  const isMet =
    signal.connectionsOnly || most === undefined
      ? connections > 1 && state.connections >= connections
      : perSecond >= most;
  const reply = { ...signal, cause };
  return (isMet ? cut(state, reply, { now, rate: most }) : undefined) ?? state;
}
