import { Injectable } from '@nestjs/common';
import { EgressSources } from '../egress/egress-sources.js';
import { sourcesInOrder } from '../egress/egress-source.rules.js';
import { Relays } from '../egress/relays.js';
import { RELAY_GROUP } from '../mx/group-key.rules.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { hostsKey } from '../smtp-client/connection-pool.js';
import type { Route, RouteHost } from '../smtp-client/route.js';
import { postponed, postponedFor, type SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { Budgets, type Place } from '../warm-up/budgets.js';
import { BUDGET_UNREAD } from '../warm-up/budget-reasons.rules.js';
import { Ways } from '../ways/ways.js';
import {
  DEFAULT_POOL,
  isRelayWay,
  relaysKey,
  relaysWay,
  relayWay,
  usesRelays,
  usesSources,
  type PoolInUse,
} from '../ways/ways.rules.js';
import { OutgoingConnections } from './outgoing-connections.js';
import type { TransportRequest } from './message-transport.port.js';
import { WAY_REASONS } from './way-reasons.rules.js';

/** The way of a message: a route from one source or through relays, or why it has none now. */
export type Chosen =
  { readonly kind: 'route'; readonly route: Route; readonly place?: BudgetPlace } | SmtpOutcome;

/** A place in the budget of a new address. */
export type BudgetPlace = Extract<Place, { kind: 'place' }>;

/** Chooses the way by which a message leaves: its pool, then a source or the relays of the pool. */
@Injectable()
export class WayChoice {
  constructor(
    private readonly ways: Ways,
    private readonly sources: EgressSources,
    private readonly relays: Relays,
    private readonly limits: ShapingLimits,
    private readonly connections: OutgoingConnections,
    private readonly budgets: Budgets,
  ) {
    // Those that wait for a connection from a closed source are chosen a way again.
    ways.health.onClosed((source) => this.leave(source));
  }

  /** A message leaves by this way. */
  leaves(route: Route): void {
    this.ways.health.chosen(healthKey(route));
  }

  /** @param taken a relay answered to the message itself, whatever the reply */
  metRelays(route: Route, taken: boolean): void {
    if (taken) this.ways.health.replied(healthKey(route));
    else this.ways.health.notReached(healthKey(route), 'relays', 1);
  }

  private leave(source: string): void {
    const pool = this.ways.pools.find(({ sources }) => sources.some(({ id }) => id === source));
    if (pool === undefined) return;
    const others = pool.sources.some(({ id }) => id !== source && this.sources.isHere({ id }));
    if (others || (usesRelays(pool) && pool.relays.length > 0))
      this.connections.pool.release(source, 'no host answers its source: another way is chosen');
  }

  /** No route to the hosts of a destination is needed. */
  poolWithoutSources(request: TransportRequest): PoolInUse | undefined {
    if (!this.ways.areOnlyRelays) return undefined;
    return this.poolFor(request, RELAY_GROUP);
  }

  /** The way through the relays of a pool. */
  async relayed(pool: PoolInUse, { pinned, source: kept }: TransportRequest): Promise<Chosen> {
    if (pinned && kept !== null && !isRelayWay(kept)) return keepsWay(kept);
    if (pool.relays.length === 0) return noWay(pool);
    const routed = await this.relays.route(pool);
    if (routed.kind !== 'route' || !pinned || kept === null) return routed;
    const hosts = routed.route.hosts.filter(
      ({ relay }) => relay !== undefined && relayWay(relay.id) === kept,
    );
    return hosts.length === 0 ? keepsWay(kept) : { kind: 'route', route: { ...routed.route, hosts } };
  }

  /** @param route to the hosts of the destination, without a source */
  async choose(given: Route, request: TransportRequest): Promise<Chosen> {
    const { groupKey = hostsKey(given) } = given;
    const route = { ...given, groupKey };
    const pool = this.poolFor(request, groupKey);
    if (pool === undefined) return NO_POOL;
    const { pinned, source: kept } = request;
    if (pinned && kept !== null && isRelayWay(kept)) return this.relayed(pool, request);
    const hasRelays = usesRelays(pool) && pool.relays.length > 0 && !pinned;
    const takesRelays = hasRelays && !this.areRelaysClosed(pool);
    if (takesRelays && pool.order !== 'sources-relays') return this.relayed(pool, request);
    const direct = this.direct(pool, route, request, takesRelays);
    if (direct.length === 0 && hasRelays) return this.relayed(pool, request);
    const placed = await this.place(pool, direct, request);
    if (takesRelays && pool.overBudget === 'move' && placed?.kind === 'postponed')
      return this.relayed(pool, request);
    if (placed !== undefined) return placed;
    if (pinned && kept !== null) return keepsWay(kept);
    return usesSources(pool) ? NO_SOURCE : noWay(pool);
  }

  /** Counts the result of a message in the budget of its source, or gives its place back. */
  async met(place: BudgetPlace, { kind, groupKey = '' }: SmtpOutcome): Promise<void> {
    if (kind === 'postponed' || kind === 'dns-failure') {
      // A place that is not given back is used up: less is sent than might be, never more.
      return this.budgets.giveBack(place).catch(() => undefined);
    }
    const isSuspended = this.limits.waitOf(groupKey, place.key.source) !== undefined;
    this.budgets.met(place.key, kind, isSuspended);
  }

  /** The first source with a place in its budget; a wait when none has one, undefined when there is no source. */
  private async place(
    { overBudget }: PoolInUse,
    routes: readonly Route[],
    { message }: TransportRequest,
  ): Promise<Chosen | undefined> {
    let wait: SmtpOutcome | undefined;
    for (const route of routes) {
      const { source, groupKey = '' } = route;
      if (source?.warmUp !== true) return { kind: 'route', route };
      const place = await this.budgets
        .take(source.id, groupKey, message.isBulk ?? false)
        .catch(() => undefined);
      if (place === undefined) return NO_BUDGET;
      if (place.kind === 'place') return { kind: 'route', route, place };
      if (wait?.notBefore === undefined || place.until < wait.notBefore)
        wait = postponed(place.until, place.reason);
      if (overBudget === 'wait') break;
    }
    return wait;
  }

  /**
   * Routes from the sources that may be used now, in their order. Without any other way the message waits at a blocked
   * one, with its reason.
   * @param hasOther the relays of the pool take what has no source
   */
  private direct(pool: PoolInUse, route: Route, request: TransportRequest, hasOther: boolean): Route[] {
    const { groupKey = '' } = route;
    const { sender, source: kept, pinned } = request;
    const reaching = this.reaching(pool, route, request);
    const routes = reaching.map((way) => ({ ...route, ...way }));
    if (pinned || (routes.length === 1 && !hasOther)) return routes;
    const open = reaching.filter(({ source }) => !this.ways.health.isClosed(source.id));
    const inOrder = sourcesInOrder(
      (open.length > 0 || hasOther ? open : reaching).map(({ source }) => source),
      { kept, whenBlocked: pool.whenBlocked },
      {
        isFull: (source) => this.connections.pool.isFull({ ...route, source }),
        isBlocked: ({ id }) => this.isBlocked(id, { ...route, groupKey }, sender),
      },
    );
    if (inOrder.length === 0 && !hasOther) return routes.slice(0, 1);
    return inOrder.flatMap((source) => routes.filter((one) => one.source === source));
  }

  /** The group takes no mail from it, or one message tries whether it does. */
  private isBlocked(source: string, route: Route, sender: TransportRequest['sender']): boolean {
    const { groupKey = '' } = route;
    if (this.limits.waitOf(groupKey, source, sender) !== undefined) return true;
    if (!this.limits.isProbing(groupKey, source)) return false;
    const from = this.ways.sources.find(({ id }) => id === source);
    return from !== undefined && this.connections.pool.isBusy({ ...route, source: from });
  }

  private areRelaysClosed({ id }: PoolInUse): boolean {
    return (
      this.ways.health.isClosed(relaysWay(id)) || this.limits.waitOf(RELAY_GROUP, relaysKey(id)) !== undefined
    );
  }

  /** The sources that reach a host; of a message that keeps its way only that one. */
  private reaching(
    pool: PoolInUse,
    { hosts, groupKey = '' }: Route,
    { sender, source, pinned }: TransportRequest,
  ) {
    const leaving = { senderDomain: sender.senderDomain, groupKey };
    const all = usesSources(pool) ? this.sources.reaching<RouteHost>(pool, hosts, leaving) : [];
    return pinned && source !== null ? all.filter((way) => way.source.id === source) : all;
  }

  private poolFor({ sender, message, tags }: TransportRequest, groupKey: string): PoolInUse | undefined {
    return this.ways.poolFor({ ...sender, groupKey, isBulk: message.isBulk ?? false, tags });
  }
}

/** Our trouble, and perhaps the same for every host of the destination: the message waits. */
const NO_SOURCE: SmtpOutcome = {
  kind: 'deferred',
  smtpCode: 0,
  enhancedStatusCode: '4.3.5',
  response: WAY_REASONS.noSource,
};

const AGAIN_MS = 60_000;
const NO_POOL = postponedFor(AGAIN_MS, WAY_REASONS.noPool);

const healthKey = ({ viaRelay, source }: Route): string =>
  viaRelay ? relaysWay(source?.id || DEFAULT_POOL) : (source?.id ?? '');

const NO_BUDGET = postponedFor(5_000, BUDGET_UNREAD);

const noWay = ({ id }: PoolInUse): SmtpOutcome => postponedFor(AGAIN_MS, WAY_REASONS.noWay(id));

const keepsWay = (way: string): SmtpOutcome => postponedFor(AGAIN_MS, WAY_REASONS.keepsWay(way));
