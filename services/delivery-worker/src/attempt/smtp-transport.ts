import { Inject, Injectable, type FactoryProvider } from '@nestjs/common';
import { Metrics } from '@postmesh/observability';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { EgressSources } from '../egress/egress-sources.js';
import { Relays, type Routed } from '../egress/relays.js';
import { MxResolver } from '../mx/mx-resolver.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { ConnectionPool, hostsKey } from '../smtp-client/connection-pool.js';
import type { Route } from '../smtp-client/host-pool.js';
import { postponed, type SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { MESSAGE_TRANSPORT, type MessageTransport, type TransportRequest } from './message-transport.port.js';

/** Finds the hosts of a destination and hands messages to them over kept connections (spec 2-messages §14.1-2). */
@Injectable()
export class SmtpTransport implements MessageTransport {
  private readonly pool: ConnectionPool;
  private stopping = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    metrics: Metrics,
    private readonly mx: MxResolver,
    private readonly limits: ShapingLimits,
    private readonly sources: EgressSources,
    private readonly relays: Relays,
  ) {
    this.pool = new ConnectionPool({
      ehloName: settings.ehloName ?? `mta.${settings.serviceZone}`,
      maxConnections: settings.deliveryConcurrency,
      limits,
      extraCa: relays.extraCa,
    });
    metrics.gauge('postmesh_smtp_connections', 'Open connections to remote servers', [], (gauge) =>
      gauge.set(this.pool.stats().connections),
    );
  }

  async send(request: TransportRequest): Promise<SmtpOutcome> {
    const met = await this.meet(request);
    return this.stopping && cutByUs(met) ? putBack() : met;
  }

  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    this.mx.close();
    await this.pool.close(graceMs);
  }

  private async meet(request: TransportRequest): Promise<SmtpOutcome> {
    if (this.stopping) return putBack();
    const routed = await this.findRoute(request);
    if (routed.kind !== 'route') return routed;
    const { source, groupKey } = routed.route;
    const met = await this.pool.send(routed.route, request.message, request.sender);
    return { ...met, groupKey, ...(source === undefined || source.id === '' ? {} : { source: source.id }) };
  }

  private async findRoute(request: TransportRequest): Promise<Routed> {
    if (this.relays.areUsed) return this.relays.route();
    const found = await this.mx.resolve(request.destination);
    if (found.kind !== 'route') return found;
    const { hosts, groupKey } = found;
    return this.fromSource({ hosts, groupKey, port: this.settings.remoteSmtpPort }, request);
  }

  /** Which of our addresses it leaves from. */
  private fromSource(route: Route, { sender, source: kept }: TransportRequest): Routed {
    const { groupKey = hostsKey(route) } = route;
    const leaving = { senderDomain: sender.senderDomain, groupKey, kept };
    const chosen = this.sources.choose(route.hosts, leaving, {
      isFull: (source) => this.pool.isFull({ ...route, source }),
      isSuspended: ({ id }) => this.limits.waitOf(groupKey, id, sender) !== undefined,
    });
    return chosen ? { kind: 'route', route: { ...route, ...chosen } } : NO_SOURCE;
  }
}

/** Ours to mend, and perhaps the same for every host of the destination: it waits. */
const NO_SOURCE: SmtpOutcome = {
  kind: 'deferred',
  smtpCode: 0,
  enhancedStatusCode: '4.3.5',
  response: 'none of our source addresses reaches a host of the destination',
};

/** A look-up or connection that ended because of the stop says nothing about the message or its destination. */
function cutByUs(met: SmtpOutcome): boolean {
  if (met.kind === 'dns-failure') return true;
  return met.kind === 'connection-lost' && met.dataSent !== 'complete';
}

const putBack = () => postponed(Date.now(), 'its worker stopped before the message was sent');

export const SMTP_TRANSPORT: FactoryProvider<SmtpTransport> = {
  provide: MESSAGE_TRANSPORT,
  inject: [SETTINGS, Metrics, MxResolver, ShapingLimits, EgressSources, Relays],
  useFactory: (...parts: ConstructorParameters<typeof SmtpTransport>) => new SmtpTransport(...parts),
};
