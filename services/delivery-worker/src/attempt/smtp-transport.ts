import { Inject, Injectable, type FactoryProvider } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { MxResolver } from '../mx/mx-resolver.js';
import type { Route } from '../smtp-client/route.js';
import { postponedFor, type SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { TlsNeeds, type SecuredRoute } from '../tls/tls-needs.js';
import { MESSAGE_TRANSPORT, type MessageTransport, type TransportRequest } from './message-transport.port.js';
import { relayWay } from '../ways/ways.rules.js';
import { KeptWays } from './kept-ways.js';
import { OutgoingConnections } from './outgoing-connections.js';
import { WayChoice, type Chosen } from './way-choice.js';
import { WAY_REASONS } from './way-reasons.rules.js';

type Found = Chosen & { readonly secured?: SecuredRoute };

/** Finds the hosts of a destination and hands messages to them over kept connections (spec 2-messages §14.1-2). */
@Injectable()
export class SmtpTransport implements MessageTransport {
  private stopping = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly mx: MxResolver,
    private readonly tls: TlsNeeds,
    private readonly choice: WayChoice,
    private readonly kept: KeptWays,
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
    const { route, secured, place } = routed;
    if (route.viaRelay) return this.overRelays(route, request);
    this.choice.leaves(route);
    const met = await this.leave(route, request, route.source?.id);
    if (secured) this.tls.met(secured, met);
    if (place !== undefined) await this.choice.met(place, met);
    return met;
  }

  /** The next relay is used when one is unreachable, and only then: a message leaves by one of them. */
  private async overRelays(route: Route, request: TransportRequest): Promise<SmtpOutcome> {
    this.choice.leaves(route);
    let met: SmtpOutcome | undefined;
    for (const host of route.hosts) {
      const way = host.relay === undefined ? undefined : relayWay(host.relay.id);
      met = await this.leave({ ...route, hosts: [host] }, request, way);
      if (!wasUnreachable(met)) break;
    }
    if (met !== undefined && met.kind !== 'postponed')
      this.choice.metRelays(route, !OPENING.has(met.command));
    return met ?? postponedFor(0, WAY_REASONS.noRelay);
  }

  /** @param way as the row of the delivery names it; none where the system chooses the address */
  private async leave(
    route: Route,
    request: TransportRequest,
    way: string | undefined,
  ): Promise<SmtpOutcome> {
    const source = way === undefined || way === '' ? {} : { source: way };
    if (source.source !== undefined && way !== request.source) {
      const kept = await this.kept.keep(request.lease, source.source).catch(() => NOT_KEPT);
      if (kept !== undefined) return kept;
    }
    const met = await this.connections.pool.send(route, request.message, request.sender);
    return { ...met, groupKey: route.groupKey, ...source };
  }

  private async findRoute(request: TransportRequest): Promise<Found> {
    const pool = this.choice.poolWithoutSources(request);
    if (pool !== undefined) return this.choice.relayed(pool, request);
    const destination = request.destination.toLowerCase();
    const found = await this.mx.resolve(destination);
    if (found.kind !== 'route') return found;
    const { hosts, groupKey } = found;
    const port = this.settings.remoteSmtpPort;
    const secured = await this.tls.secure({ destination, hosts, port, groupKey });
    if (secured.kind !== 'route') return secured;
    const routed = await this.choice.choose({ hosts: secured.hosts, groupKey, port }, request);
    return routed.kind === 'route' && !routed.route.viaRelay ? { ...routed, secured } : routed;
  }
}

const NOT_KEPT = postponedFor(5_000, WAY_REASONS.notKept);

const OPENING: ReadonlySet<string | undefined> = new Set(['CONNECT', 'EHLO', 'STARTTLS', 'AUTH']);

/** A 5xx is a relay's word about all our mail: no other relay is asked to overrule it. */
const wasUnreachable = ({ kind, command, smtpCode }: SmtpOutcome): boolean =>
  kind === 'postponed' || (kind === 'deferred' && smtpCode < 500 && OPENING.has(command));

/** A look-up or connection that ended because of the stop says nothing about the message or its destination. */
function cutByUs(met: SmtpOutcome): boolean {
  if (met.kind === 'dns-failure') return true;
  return met.kind === 'connection-lost' && met.dataSent !== 'complete';
}

const putBack = () => postponedFor(0, 'its worker stopped before the message was sent');

export const SMTP_TRANSPORT: FactoryProvider<SmtpTransport> = {
  provide: MESSAGE_TRANSPORT,
  inject: [SETTINGS, MxResolver, TlsNeeds, WayChoice, KeptWays, OutgoingConnections],
  useFactory: (...parts: ConstructorParameters<typeof SmtpTransport>) => new SmtpTransport(...parts),
};
