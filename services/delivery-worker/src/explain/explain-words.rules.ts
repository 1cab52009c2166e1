import { knownLimit, mostConnections, mostPerSecond, type MetLimit } from '../shaping/known-limit.rules.js';
import { describePace, describeSlowDown, groupName } from '../shaping/slow-down.rules.js';
import { leftOf } from '../warm-up/budget-ahead.rules.js';
import { budgetOf } from '../warm-up/warm-up.rules.js';
import type { Provider } from '../shaping/providers.table.js';
import type { Ceiling, SourceNow } from './forecast.rules.js';

/** A source of a group, in the detail that its words need. */
export interface Explained {
  readonly groupKey: string;
  readonly source: SourceNow;
  readonly ceiling: Ceiling;
  /** the row of its provider, or of all others; none for a relay */
  readonly row: Provider | undefined;
  readonly now: number;
  /** single messages that are due */
  readonly singles: number;
}

/** The origin of the ceiling: a rule, a reply with its date, a setting. */
export function setBy(explained: Explained): string {
  const { groupKey, source, ceiling, row } = explained;
  const { state, provider, messageSeconds } = source;
  const { cause } = state;
  switch (ceiling.by) {
    case 'suspension':
      return describeSlowDown({ groupKey, cause, until: new Date(state.suspendedUntil ?? 0) });
    case 'probe':
      return 'a suspension is over: one message probes, and the reply to it decides';
    case 'pace': {
      if (cause === null || ceiling.perSecond === provider.ratePerSecond) return ofRow(row, 'a pace');
      const by = groupName(groupKey, cause.host);
      return `${describePace(by, ceiling.perSecond, cause)}, since ${dayOf(cause.at)}`;
    }
    case 'connections': {
      const each = `, with ${Number(messageSeconds.toPrecision(2))} s for a message`;
      const { start, cap } = provider.connections;
      if (ceiling.connections >= cap) return `${ofRow(row, `no more than ${connectionsOf(cap)}`)}${each}`;
      if (cause?.met && state.connections < cause.met.connections) {
        const reply = [cause.code || null, cause.enhanced].filter(Boolean).join(' ');
        return `${connectionsOf(ceiling.connections)} after ${reply || 'a failed connection'} at ${connectionsOf(cause.met.connections)} on ${dayOf(cause.at)}${each}`;
      }
      if (ceiling.connections > start)
        return `${connectionsOf(ceiling.connections)}, raised step by step from ${start}${each}`;
      return `${ofRow(row, connectionsOf(start))}${each}`;
    }
    case 'setting':
      return `POSTMESH_DELIVERY_PER_DESTINATION: ${connectionsOf(ceiling.connections)} of all workers together`;
    case 'budget':
      return ofBudget(explained);
  }
}

function ofBudget({ groupKey, source: { budget }, singles, now }: Explained): string {
  const of = `the warm-up budget of a new address with ${groupName(groupKey)}`;
  const most = budget && budgetOf(budget.schedule, budget.results.stage);
  if (budget === undefined || most === undefined) return of;
  const left = Math.floor(leftOf(budget, singles, now));
  return `${of}: ${most.day} a day and ${most.hour} an hour at stage ${budget.results.stage + 1}, ${left} left in this hour`;
}

/** The conditions that raise it. */
export function raisedBy({ groupKey, source: { state, provider }, ceiling, now }: Explained): string {
  const { heldUntil, suspendedUntil, cause } = state;
  const known = knownLimit(cause?.met, now);
  switch (ceiling.by) {
    case 'suspension': {
      const resume = `npx postmesh queue resume ${groupKey} sends one message at once`;
      const first = cause?.alert ? 'what the reply asks for, before anything else; then ' : '';
      return `${first}its end at ${timeOf(suspendedUntil ?? 0)}, or sooner: ${resume}`;
    }
    case 'probe':
      return 'a good reply to the message that probes';
    case 'setting':
      return 'a higher POSTMESH_DELIVERY_PER_DESTINATION, or more workers';
    case 'budget':
      return 'its next stage, after a day on which all mail was taken; a further source, or a relay in its pool';
    case 'pace':
      if (provider.ratePerSecond !== undefined && ceiling.perSecond >= provider.ratePerSecond) return ROW;
      if (now < heldUntil) return `nothing before ${timeOf(heldUntil)}; then ${BY_USE} a tenth`;
      if (known !== undefined && ceiling.perSecond >= mostPerSecond(known))
        return `${triedAgain(known)}; a further source has a pace of its own`;
      return `${BY_USE} a tenth; a further source has a pace of its own`;
    case 'connections':
      if (ceiling.connections >= provider.connections.cap) return ROW;
      if (now < heldUntil) return `nothing before ${timeOf(heldUntil)}; then ${BY_USE} one connection`;
      if (known !== undefined && ceiling.connections >= mostConnections(known))
        return `${triedAgain(known)}; a further source has connections of its own`;
      return `${BY_USE} one connection; a further source has connections of its own`;
  }
}

const ROW = 'another row of the provider (POSTMESH_SHAPING_FILE), or a further source';
/** The time at which raises continue beyond a limit that the host has shown. */
const triedAgain = ({ keptUntil = 0 }: MetLimit): string =>
  `nothing before ${timeOf(keptUntil)}, when more than the host has taken is tried again`;

const BY_USE = 'each half minute of use without a slow-down raises it by';

const ofRow = (row: Provider | undefined, what: string): string =>
  row === undefined
    ? `${what} to a relay`
    : `${what} by the row '${row.id}' (${row.source.url}, ${row.source.seen})`;

const connectionsOf = (count: number): string => `${count} ${count === 1 ? 'connection' : 'connections'}`;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
