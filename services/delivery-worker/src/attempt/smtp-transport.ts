import { Inject, Injectable, type FactoryProvider } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { EgressSources } from '../egress/egress-sources.js';
import { Relays, type Routed } from '../egress/relays.js';
import { MxResolver } from '../mx/mx-resolver.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { hostsKey } from '../smtp-client/connection-pool.js';
import type { Route } from '../smtp-client/route.js';
import { postponedFor, type SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { TlsNeeds, type SecuredRoute } from '../tls/tls-needs.js';
import { MESSAGE_TRANSPORT, type MessageTransport, type TransportRequest } from './message-transport.port.js';
import { OutgoingConnections } from './outgoing-connections.js';

type Found = Routed & { readonly secured?: SecuredRoute };

/** Finds the hosts of a destination and hands messages to them over kept connections (spec 2-messages §14.1-2). */
@Injectable()
export class SmtpTransport implements MessageTransport {
  private stopping = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly mx: MxResolver,
    private readonly tls: TlsNeeds,
    private readonly limits: ShapingLimits,
    private readonly sources: EgressSources,
    private readonly relays: Relays,
    private readonly connections: OutgoingConnections,
  ) {}

  async send(request: TransportRequest): Promise<SmtpOutcome> {
    const met = await this.meet(request);
    return this.stopping && cutByUs(met) ? putBack() : met;
  }

  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    this.mx.close();
    void this.tls.close();
    await this.connections.pool.close(graceMs);
  }

  private async meet(request: TransportRequest): Promise<SmtpOutcome> {
    if (this.stopping) return putBack();
    const routed = await this.findRoute(request);
    if (routed.kind !== 'route') return routed;
    const { source, groupKey } = routed.route;
    const met = await this.connections.pool.send(routed.route, request.message, request.sender);
    if (routed.secured) this.tls.met(routed.secured, met);
    return { ...met, groupKey, ...(source === undefined || source.id === '' ? {} : { source: source.id }) };
  }

  private async findRoute(request: TransportRequest): Promise<Found> {
    if (this.relays.areUsed) return this.relays.route();
    const destination = request.destination.toLowerCase();
    const found = await this.mx.resolve(destination);
    if (found.kind !== 'route') return found;
    const { hosts, groupKey } = found;
    const port = this.settings.remoteSmtpPort;
    const secured = await this.tls.secure({ destination, hosts, port, groupKey });
    if (secured.kind !== 'route') return secured;
    const routed = this.fromSource({ hosts: secured.hosts, groupKey, port }, request);
    return routed.kind === 'route' ? { ...routed, secured } : routed;
  }

  /** Chooses the source address. */
  private fromSource(route: Route, { sender, source: kept }: TransportRequest): Routed {
    const { groupKey = hostsKey(route) } = route;
    const leaving = { senderDomain: sender.senderDomain, groupKey, kept };
    const chosen = this.sources.choose(route.hosts, leaving, {
      isFull: (source) => this.connections.pool.isFull({ ...route, source }),
      isSuspended: ({ id }) => this.limits.waitOf(groupKey, id, sender) !== undefined,
    });
    return chosen ? { kind: 'route', route: { ...route, ...chosen } } : NO_SOURCE;
  }
}

/** Our trouble, and perhaps the same for every host of the destination: the message waits. */
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

const putBack = () => postponedFor(0, 'its worker stopped before the message was sent');

export const SMTP_TRANSPORT: FactoryProvider<SmtpTransport> = {
  provide: MESSAGE_TRANSPORT,
  inject: [SETTINGS, MxResolver, TlsNeeds, ShapingLimits, EgressSources, Relays, OutgoingConnections],
  useFactory: (...parts: ConstructorParameters<typeof SmtpTransport>) => new SmtpTransport(...parts),
};
