import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Inject, Injectable, type FactoryProvider } from '@nestjs/common';
import { Metrics } from '@postmesh/observability';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { EgressSource } from '../egress/egress-source.rules.js';
import { MxResolver } from '../mx/mx-resolver.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { ConnectionPool } from '../smtp-client/connection-pool.js';
import type { Route } from '../smtp-client/host-pool.js';
import { postponed, type SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { MESSAGE_TRANSPORT, type MessageTransport, type TransportRequest } from './message-transport.port.js';

type Found = { kind: 'route'; route: Route };
type Routed = Found | SmtpOutcome;

// The resolver of the system keeps nothing: not every message should ask it where the relay is.
const REMEMBER_RELAY_MS = 30_000;

/** Finds the hosts of a destination and hands messages to them over kept connections (spec 2-messages §14.1-2). */
@Injectable()
export class SmtpTransport implements MessageTransport {
  private readonly relay: URL | undefined;
  private readonly source: EgressSource;
  private readonly pool: ConnectionPool;
  private relayFound: { route: Promise<Routed>; until: number } | undefined;
  private stopping = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    metrics: Metrics,
    private readonly mx: MxResolver,
    limits: ShapingLimits,
  ) {
    this.relay = settings.egressRelay === undefined ? undefined : new URL(settings.egressRelay);
    this.source = { id: '', ehloName: settings.ehloName ?? `mta.${settings.serviceZone}` };
    this.pool = new ConnectionPool({
      ehloName: this.source.ehloName,
      maxConnections: settings.deliveryConcurrency,
      limits,
      ...relayAccess(this.relay),
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
    const { destination, envelopeFrom, recipient, message, sender } = request;
    if (this.stopping) return putBack();
    const routed = await this.findRoute(destination);
    if (routed.kind !== 'route') return routed;
    const { chunks, size, eightBit } = message;
    const route = { ...routed.route, source: this.source };
    return this.pool.send(route, { envelopeFrom, recipient, chunks, size, eightBit }, sender);
  }

  private async findRoute(destination: string): Promise<Routed> {
    if (this.relay) return this.findRelay(this.relay);
    const reply = await this.mx.resolve(destination);
    if (reply.kind !== 'route') return reply;
    return { kind: 'route', route: { hosts: reply.hosts, port: this.settings.remoteSmtpPort } };
  }

  private async findRelay(relay: URL): Promise<Routed> {
    if (this.relayFound && this.relayFound.until > Date.now()) return this.relayFound.route;
    const found = { route: relayRoute(relay), until: Date.now() + REMEMBER_RELAY_MS };
    this.relayFound = found;
    const routed = await found.route;
    if (routed.kind !== 'route') found.until = 0;
    return routed;
  }
}

/** A look-up or connection that ended because of the stop says nothing about the message or its destination. */
function cutByUs(met: SmtpOutcome): boolean {
  if (met.kind === 'dns-failure') return true;
  return met.kind === 'connection-lost' && met.dataSent !== 'complete';
}

const putBack = () => postponed(Date.now(), 'its worker stopped before the message was sent');

/** A password leaves only over TLS. */
function relayAccess(relay: URL | undefined) {
  if (!relay || relay.username === '') return {};
  const auth = { user: decodeURIComponent(relay.username), password: decodeURIComponent(relay.password) };
  return { auth, tls: 'require' as const };
}

async function relayRoute(relay: URL): Promise<Routed> {
  const name = relay.hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = isIP(name) ? [name] : (await lookup(name, { all: true })).map(({ address }) => address);
    return {
      kind: 'route',
      route: { hosts: [{ name, preference: 0, addresses }], port: Number(relay.port || 25) },
    };
  } catch {
    return {
      kind: 'dns-failure',
      smtpCode: 0,
      enhancedStatusCode: '4.4.4',
      response: `the relay ${name} cannot be found`,
    };
  }
}

export const SMTP_TRANSPORT: FactoryProvider<SmtpTransport> = {
  provide: MESSAGE_TRANSPORT,
  inject: [SETTINGS, Metrics, MxResolver, ShapingLimits],
  useFactory: (settings: Settings, metrics: Metrics, mx: MxResolver, limits: ShapingLimits) =>
    new SmtpTransport(settings, metrics, mx, limits),
};
