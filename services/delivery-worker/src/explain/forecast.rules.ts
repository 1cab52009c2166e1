import {
  closeWindow,
  cut,
  isProbing,
  isSuspended,
  recover,
  type ProviderLimits,
  type ShapingState,
} from '../shaping/learning.rules.js';
import { leftOf, openedAt, untilNextHour, usedBy, type BudgetAhead } from '../warm-up/budget-ahead.rules.js';

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
  /** of a new address with this provider; none once it is warm */
  readonly budget?: BudgetAhead | undefined;
}

export interface Queued {
  /** may be sent now, or is being sent */
  readonly due: number;
  /** single messages among them, for which budgets keep a part; none unless given */
  readonly singles?: number;
  /** wait for their own time, earliest first; Unix ms */
  readonly later: readonly { readonly at: number; readonly messages: number }[];
}

const SECOND = 1_000;
// Workers close windows this often.
const STEP_MS = 5 * SECOND;
const FURTHEST_MS = 14 * 24 * 3_600 * SECOND;
// Rates are measured over half a minute.
const MEASURED_STEPS = 6;

/** The limit of a source now, the least of all. */
export interface Ceiling {
  readonly by: 'suspension' | 'probe' | 'pace' | 'connections' | 'setting' | 'budget';
  readonly perSecond: number;
  readonly connections: number;
}

/**
 * The limits that are in force now: the rules of shaping, the settings, the budget, which is spread over the rest of its
 * hour.
 * @param singles single messages that are due
 */
export function ceilingOf(source: SourceNow, now: number, singles = 0): Ceiling {
  const pace = paceOf(source, now);
  const left = source.budget === undefined ? Number.POSITIVE_INFINITY : leftOf(source.budget, singles, now);
  const perSecond = left / (untilNextHour(now) / SECOND);
  return perSecond < pace.perSecond ? { ...pace, by: 'budget', perSecond } : pace;
}

/** The ceiling as long as a budget leaves something. */
function paceOf({ state, provider, mostConnections, messageSeconds }: SourceNow, now: number): Ceiling {
  if (isSuspended(state, now)) return { by: 'suspension', perSecond: 0, connections: 0 };
  const over = (connections: number) => connections / messageSeconds;
  if (isProbing(state, now)) return { by: 'probe', perSecond: over(1), connections: 1 };
  const allowed = Math.min(state.connections, provider.connections.cap);
  const connections = Math.min(allowed, mostConnections);
  const by = mostConnections < allowed ? 'setting' : 'connections';
  const perSecond = over(connections);
  if (state.rate === null || state.rate >= perSecond) return { by, perSecond, connections };
  return { by: 'pace', perSecond: state.rate, connections };
}

/**
 * When the queue of a group is empty. The rules of shaping run ahead: limits rise as they are used, a suspension ends at
 * its time and its probe is accepted, and the last signal comes again at the use at which it came. So do those of
 * budgets: what exceeds one waits for the next hour, and a day on which all mail was taken is followed by a higher stage.
 * @param sources that share the queue
 * @param sooner the part of a limit at which its signal comes already
 * @returns Unix ms; null = not within two weeks
 */
export function emptyAt(
  queued: Queued,
  sources: readonly SourceNow[],
  now: number,
  sooner = 1,
): number | null {
  let [left, singles, at] = [queued.due, queued.singles ?? 0, now];
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
      const from = at;
      at = Math.max(at, next);
      running = running.map((source) => opened(rested(source), from, at));
      continue;
    }
    const parts = running.map((source) => partOf(source, singles, at));
    const perSecond = parts.reduce((sum, part) => sum + part.perSecond, 0);
    // nothing happens while every source is suspended
    const longest = perSecond === 0 ? FURTHEST_MS : STEP_MS;
    const untilNext = next === undefined ? longest : Math.max(1, next - at);
    const ms = Math.min(
      ...[longest, untilNext, ...parts.map((part) => part.untilChange)],
      ...running.map((source) => untilChange(source, at)),
    );
    const sent = (perSecond * ms) / SECOND;
    if (sent >= left && next === undefined) return at + (left / perSecond) * SECOND;
    const share = sent > left ? left / sent : 1;
    left = Math.max(0, left - sent);
    singles = Math.max(0, singles - sent);
    at += ms;
    const step = { from: at - ms, to: at, sooner };
    running = running.map((source, nth) => {
      const rate = (parts[nth]?.perSecond ?? 0) * share;
      return spent(moved(source, rate, step), { messages: (rate * ms) / SECOND, singles, ...step });
    });
  }
  return null;
}

/** More messages than foreseen come, or come back. */
const MORE = 1.05;
const SOONER = 1 / MORE;

/**
 * The end of a queue, and the end with a twentieth more messages and signals that come a little sooner: the two are far
 * apart where the queue ends about when the host is expected to slow down next.
 */
export function endOf(queued: Queued, sources: readonly SourceNow[], now: number) {
  const more = { ...queued, due: Math.ceil(queued.due * MORE) };
  const [first, worst] = [emptyAt(queued, sources, now), emptyAt(more, sources, now, SOONER)];
  return { emptyAt: first, latestAt: first === null || worst === null ? null : Math.max(first, worst) };
}

/**
 * Accounts take turns: until the mail of one of them is sent, each of the others has been sent as much, or all of it.
 * @param others due messages of each other account
 */
export const sentUntilDone = (own: number, others: readonly number[]): number =>
  own + others.reduce((sum, due) => sum + Math.min(due, own), 0);

/** Messages a second from a source, and until when: a budget is met exactly. */
function partOf(source: SourceNow, singles: number, at: number): { perSecond: number; untilChange: number } {
  const { perSecond } = paceOf(source, at);
  if (source.budget === undefined) return { perSecond, untilChange: Number.POSITIVE_INFINITY };
  const left = leftOf(source.budget, singles, at);
  const hourEnds = untilNextHour(at);
  if (left < 1) return { perSecond: 0, untilChange: hourEnds };
  return { perSecond, untilChange: Math.min(hourEnds, (left / perSecond) * SECOND) };
}

/** The budget of a source after a step: messages beyond it come back in the next hour. */
function spent(
  source: Running,
  { messages, singles, from, to }: { messages: number; singles: number; from: number; to: number },
): Running {
  if (source.budget === undefined) return source;
  const used = usedBy(source.budget, messages);
  const isSpent = used.isSpent || leftOf(used, singles, from) < 1;
  return opened({ ...source, budget: { ...used, isSpent } }, from, to);
}

const opened = (source: Running, from: number, to: number): Running =>
  source.budget === undefined ? source : { ...source, budget: openedAt(source.budget, from, to) };

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
  { from, to, sooner }: { from: number; to: number; sooner: number },
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
  return { ...source, recent, state: signaled(risen, mean / sooner, to) };
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
