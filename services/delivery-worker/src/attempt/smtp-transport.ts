import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Inject, Injectable, type FactoryProvider, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from '@postmesh/observability';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { MxResolver } from '../mx/mx-resolver.js';
import { ConnectionPool } from '../smtp-client/connection-pool.js';
import type { Route } from '../smtp-client/route.js';
import type { AttemptMet } from '../classify/attempt-outcome.rules.js';
import type { DnsFailure, Unroutable } from '../mx/mx.rules.js';
import { LETTER_TRANSPORT, type LetterTransport, type TransportRequest } from './letter-transport.port.js';

type Routed = { kind: 'route'; route: Route } | Unroutable | DnsFailure;

/** Finds the hosts of a destination and hands letters to them over kept connections (spec 2-messages §14.1-2). */
@Injectable()
export class SmtpTransport implements LetterTransport, OnApplicationShutdown {
  private readonly relay: URL | undefined;
  private readonly mx: MxResolver;
  private readonly pool: ConnectionPool;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    metrics: Metrics,
  ) {
    this.relay = settings.egressRelay === undefined ? undefined : new URL(settings.egressRelay);
    this.mx = new MxResolver({ servers: settings.dnsServers });
    this.pool = new ConnectionPool({
      ehloName: settings.ehloName ?? `mta.${settings.serviceZone}`,
      maxConnections: settings.deliveryConcurrency,
      maxPerGroup: settings.deliveryPerDestination,
      ...relayAccess(this.relay),
    });
    metrics.gauge('postmesh_smtp_connections', 'Open connections to remote servers', [], (gauge) =>
      gauge.set(this.pool.stats().connections),
    );
  }

  async send(request: TransportRequest): Promise<AttemptMet> {
    const routed = await this.findRoute(request.destination);
    if (routed.kind !== 'route') return routed;
    const { chunks, size, eightBit } = request.letter;
    const { envelopeFrom, recipient } = request;
    return this.pool.send(routed.route, { envelopeFrom, recipient, chunks, size, eightBit });
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.close(500);
  }

  private async findRoute(destination: string): Promise<Routed> {
    if (this.relay) return relayRoute(this.relay);
    const answer = await this.mx.resolve(destination);
    if (answer.kind !== 'route') return answer;
    return { kind: 'route', route: { hosts: answer.hosts, port: this.settings.remoteSmtpPort } };
  }
}

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
  provide: LETTER_TRANSPORT,
  inject: [SETTINGS, Metrics],
  useFactory: (settings: Settings, metrics: Metrics) => new SmtpTransport(settings, metrics),
};
