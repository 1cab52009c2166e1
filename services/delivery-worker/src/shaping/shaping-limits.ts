import { Inject, Injectable } from '@nestjs/common';
import type { GroupRooms } from '@postmesh/work';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { relaysKey } from '../ways/ways.rules.js';
import { Ways } from '../ways/ways.js';
import { isUnknown, NO_ROUTE_GROUP, RELAY_GROUP, SANDBOX_GROUP } from '../mx/group-key.rules.js';
import type {
  GroupLimits,
  GroupPace,
  GroupResult,
  GroupWait,
  Reaction,
  Sender,
} from './group-limits.port.js';
import type { GroupShaping } from './group-shaping.js';
import {
  causeOf,
  cut,
  endsAfter,
  limitPerConnection,
  narrow,
  recover,
  type Cause,
  type ConnectionEnd,
} from './learning.rules.js';
import { NarrowSuspensions, placeOf, type NarrowScope } from './narrow-suspensions.js';
import { ShapingChanges } from './shaping-changes.js';
import { ShapingClock } from './shaping-clock.js';
import { ShapingLog } from './shaping-log.js';
import { ShapingMemory } from './shaping-memory.js';
import { endsConnection, judge, signalOf, stopsWalk, type Signal } from './signal.rules.js';
import { describePace, describeSlowDown, groupName } from './slow-down.rules.js';

// An attempt may wait for a connection; this many per connection keep the connections busy.
const ATTEMPTS_PER_CONNECTION = 8;
// With a learnt pace, no more is claimed than is sent within this time.
const CLAIMED_AHEAD_S = 20;
// Domains without a route end at once; many concurrent look-ups would be a load of their own.
const NO_ROUTE_ROOM = 20;
// A probe is in flight: its end wakes the others.
const PROBE_MS = 1_000;

/** The limits of an MX group from one source in this worker, and their changes by replies. */
@Injectable()
export class ShapingLimits implements GroupLimits, GroupRooms {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly memory: ShapingMemory,
    private readonly changes: ShapingChanges,
    private readonly narrowed: NarrowSuspensions,
    private readonly clock: ShapingClock,
    private readonly log: ShapingLog,
    private readonly ways: Ways,
  ) {
    log.connections(() => memory.all().map(({ key, connections }) => [key.groupKey, connections] as const));
    log.suspendedGroups(() => {
      const now = clock.now();
      return memory
        .all()
        .filter((group) => group.isSuspended(now))
        .map((group) => ({
          groupKey: group.key.groupKey,
          needsOperator: group.state(now).cause?.alert ?? false,
        }));
    });
  }

  /** Concurrent attempts of a group that is not in `entries`. */
  get others(): number {
    return this.memory.startOf('') * ATTEMPTS_PER_CONNECTION;
  }

  *entries(): Iterable<readonly [groupKey: string, room: number]> {
    yield [NO_ROUTE_GROUP, NO_ROUTE_ROOM];
    yield [SANDBOX_GROUP, this.settings.deliveryConcurrency];
    for (const groupKey of this.memory.boundedGroups) yield [groupKey, this.of(groupKey)];
  }

  /** Concurrent attempts of a group, from all sources; 0 while it is suspended. */
  of(groupKey: string): number {
    if (isUnknown(groupKey)) return 0;
    if (groupKey === NO_ROUTE_GROUP) return NO_ROUTE_ROOM;
    if (groupKey === SANDBOX_GROUP) return this.settings.deliveryConcurrency;
    const direct = this.sourcesOf(groupKey).reduce((sum, source) => sum + this.roomOf(groupKey, source), 0);
    if (groupKey === RELAY_GROUP || (direct > 0 && !this.spillsOver)) return direct;
    return direct + this.relayRoom();
  }

  /** One message of all workers tries whether the group takes mail from the source again. */
  isProbing(groupKey: string, source: string): boolean {
    return this.memory.find(groupKey, source)?.isProbing(this.clock.now()) ?? false;
  }

  connectionsOf(groupKey: string, source: string): number {
    return this.memory.connectionsOf(groupKey, source);
  }

  perConnectionOf(groupKey: string, source: string): number {
    const group = this.memory.find(groupKey, source);
    const learnt = group?.state(this.clock.now()).perConnection;
    return learnt ?? this.memory.providerOf(groupKey).perConnection;
  }

  waitOf(groupKey: string, source: string, sender?: Sender): GroupWait | undefined {
    const now = this.clock.now();
    const state = this.memory.find(groupKey, source)?.state(now);
    if (state?.suspendedUntil && now < state.suspendedUntil) {
      const until = new Date(state.suspendedUntil);
      const reason = describeSlowDown({ groupKey, cause: state.cause, until });
      return { until, isNarrow: false, reason, ...originOf(groupKey, state.cause) };
    }
    const narrowed = sender && this.narrowed.find(groupKey, source, sender, now);
    if (narrowed === undefined) return undefined;
    const until = new Date(narrowed.until);
    const reason = describeSlowDown({ groupKey, cause: narrowed.cause, until, narrowed });
    return { until, isNarrow: true, reason, ...originOf(groupKey, narrowed.cause) };
  }

  /** Why nothing is sent to a group from any source: undefined as long as one of them may be used. */
  waitOfGroup(groupKey: string, sender?: Sender): GroupWait | undefined {
    if (groupKey !== RELAY_GROUP && this.ways.relayPools.length > 0) return undefined;
    const waits = this.sourcesOf(groupKey).map((source) => this.waitOf(groupKey, source, sender));
    if (waits.includes(undefined)) return undefined;
    return waits.sort((one, other) => Number(one?.until) - Number(other?.until))[0];
  }

  /** undefined as long as one source is not paced. */
  paceOf(groupKey: string): GroupPace | undefined {
    const now = this.clock.now();
    const states = this.sourcesOf(groupKey).map((source) => this.memory.find(groupKey, source)?.state(now));
    const rates = states.map((state) => state?.rate ?? null);
    const latest = states
      .map((state) => state?.cause ?? null)
      .sort((one, other) => (other?.at ?? 0) - (one?.at ?? 0));
    if (rates.includes(null)) return undefined;
    const perSecond = rates.reduce<number>((sum, rate) => sum + (rate ?? 0), 0);
    const origin = originOf(groupKey, latest[0] ?? null);
    return { perSecond, reason: describePace(origin.by, perSecond, latest[0] ?? null), ...origin };
  }

  /** Connections of all workers together to a group, from all sources. */
  allowedOf(groupKey: string): number {
    return this.sourcesOf(groupKey).reduce((sum, source) => sum + this.memory.allowedOf(groupKey, source), 0);
  }

  takeTurn(groupKey: string, source: string, inFlight: number): number {
    const group = this.memory.find(groupKey, source);
    if (group === undefined) return 0;
    const now = this.clock.now();
    if (group.isProbing(now)) return inFlight === 0 ? 0 : PROBE_MS;
    return group.takeTurn(this.memory.rateOf(group), now);
  }

  using(groupKey: string, source: string, connections: number): void {
    this.memory.of(groupKey, source).using(connections, this.clock.now());
  }

  watch(changed: (groupKey: string, source: string) => void): void {
    this.changes.watch(changed);
  }

  met(result: GroupResult): Reaction {
    const { groupKey, source, outcome } = result;
    if (groupKey !== RELAY_GROUP) this.noteHealth(source, result);
    const group = this.memory.of(groupKey, source);
    const verdict = judge(outcome, groupKey);
    const signal = group.provider.learns === false ? undefined : signalOf(result, verdict);
    const now = this.clock.now();
    const replied = outcome.smtpCode > 0;
    if (result.opened === undefined) group.ended(replied && signal === undefined, now);
    if (signal !== undefined) this.act(group, signal, result);
    else if (replied && group.isProbing(now)) this.changes.recover(group, (state) => recover(state, now));
    return {
      endsConnection:
        (signal === undefined || signal.do === 'perConnection') && endsConnection(result, verdict),
      stopsWalk: stopsWalk(outcome, verdict),
    };
  }

  ended(groupKey: string, source: string, end: ConnectionEnd): void {
    const group = this.memory.of(groupKey, source);
    group.noteEnd(end);
    const good = end.byServer ? endsAfter(group.ends) : undefined;
    if (good !== undefined) this.learnPerConnection(group, good);
  }

  private noteHealth(source: string, { outcome, opened }: GroupResult): void {
    const { health } = this.ways;
    if (outcome.smtpCode > 0) health.replied(source);
    else if (opened === false && outcome.command === 'CONNECT')
      health.notReached(source, outcome.remoteHost ?? '');
  }

  private act(group: GroupShaping, signal: Signal, result: GroupResult): void {
    const now = this.clock.now();
    const cause = causeOf(result.outcome, {
      at: now,
      ...(result.address === undefined ? {} : { address: result.address }),
      ...(signal.alert ? { alert: signal.alert } : {}),
    });
    if (signal.do === 'perConnection') return this.learnPerConnection(group, result.goodBefore ?? 0);
    if (signal.do === 'weak') return this.weaken(group, cause);
    const isDue =
      signal.after === undefined || group.noteRule(signal.rule, signal.after, this.memory.workersAlive, now);
    // below its count only the code of a reply counts: a temporary reply slows down, a permanent one ends its message
    if (!isDue && result.outcome.kind !== 'deferred') return undefined;
    const { scope } = signal;
    if (signal.do === 'suspend' && scope !== 'source') {
      return isDue ? this.suspendNarrowly(scope, signal, { result, cause }) : undefined;
    }
    const use = { now, rate: group.measuredRate(now), isOpen: !group.isClosed(now) };
    const given = {
      do: isDue || signal.do === 'slow' ? signal.do : 'halve',
      connectionsOnly: signal.connectionsOnly ?? false,
      forMs: isDue ? inMs(signal.forSeconds) : undefined,
      longestMs: isDue ? inMs(signal.longestSeconds) : undefined,
      cause,
    } as const;
    return this.changes.cut(group, (state) => cut(state, given, use));
  }

  private weaken(group: GroupShaping, cause: Omit<Cause, 'did'>): void {
    const now = this.clock.now();
    if (group.noteWeak(now)) this.changes.cut(group, (state) => narrow(state, cause, now));
  }

  private learnPerConnection(group: GroupShaping, good: number): void {
    const now = this.clock.now();
    const { provider } = group;
    if (good < 1) return;
    group.ends = [];
    const learnt = this.changes.apply(group, (state) => limitPerConnection(state, { good, provider, now }));
    if (learnt?.perConnection) this.log.learnt(group.key, learnt.perConnection);
  }

  private suspendNarrowly(
    scope: NarrowScope,
    signal: Signal,
    { result, cause }: { result: GroupResult; cause: Omit<Cause, 'did'> },
  ): void {
    const { groupKey, source, senderDomain, accountId } = result;
    if (senderDomain === undefined || accountId === undefined) return;
    const place = placeOf(scope, { groupKey, source, senderDomain, accountId });
    const suspension = this.narrowed.next(place, signal, cause);
    if (suspension !== undefined) this.changes.suspendNarrowly(suspension);
  }

  /** Relays take mail although its sources have room. */
  private get spillsOver(): boolean {
    const { relayPools, health } = this.ways;
    return relayPools.some(
      ({ order, sources }) =>
        order !== 'sources-relays' ||
        sources.some(({ id, warmUp }) => warmUp === true || health.isClosed(id)),
    );
  }

  /** Mail to any group may leave by a relay, which has limits of its own. */
  private relayRoom(): number {
    return this.ways.relayPools.reduce((sum, { id }) => sum + this.roomOf(RELAY_GROUP, relaysKey(id)), 0);
  }

  private roomOf(groupKey: string, source: string): number {
    const group = this.memory.find(groupKey, source);
    const connections = this.memory.connectionsOf(groupKey, source);
    const room = connections * ATTEMPTS_PER_CONNECTION;
    if (group === undefined || connections === 0) return room;
    if (group.isProbing(this.clock.now())) return connections;
    const rate = this.memory.rateOf(group);
    return rate === null ? room : Math.min(room, Math.max(1, Math.ceil(rate * CLAIMED_AHEAD_S)));
  }

  /** ids of the addresses from which messages leave; of relays the pools */
  private sourcesOf(groupKey: string): readonly string[] {
    const ids =
      groupKey === RELAY_GROUP
        ? this.ways.relayPools.map(({ id }) => relaysKey(id))
        : this.ways.sources.map(({ id }) => id);
    return ids.length > 0 ? ids : [''];
  }
}

const originOf = (groupKey: string, cause: Cause | null) => ({
  by: groupName(groupKey, cause?.host),
  since: cause === null ? null : new Date(cause.at),
});

const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000);
