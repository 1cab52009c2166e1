import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureContext, type TlsOptions } from 'node:tls';
import type { Logger } from '@postmesh/observability';
import { canonicalName, isWithin } from '../dns/records.rules.js';
import { signedBy, type Authority } from './house-certificates.js';
import { policyOf } from './house-records.js';
import { HOUSES_ZONE, type RunningHouse } from './running-house.js';

const PATH = '/.well-known/mta-sts.txt';
const PREFIX = 'mta-sts.';
/** More names than senders use; the oldest get a new certificate at their next request. */
const MAX_CONTEXTS = 1_000;
const MAX_CONNECTIONS = 256;

/** Serves the MTA-STS policies of the houses over HTTPS, each with a certificate for its name (RFC 8461 §3.3). */
export class PolicyServer {
  private readonly contexts = new Map<string, SecureContext>();
  private readonly server: Server;

  private constructor(
    private readonly houses: ReadonlyMap<string, RunningHouse>,
    private readonly authority: Authority,
    logger: Logger,
  ) {
    const SNICallback: TlsOptions['SNICallback'] = (name, done) =>
      done(null, this.contextOf(canonicalName(name)));
    this.server = createServer(
      { ...this.certificateFor(HOUSES_ZONE), SNICallback },
      ({ headers, url }, response) => {
        const policy = url === PATH ? this.policyFor(headers.host ?? '') : undefined;
        response
          .writeHead(policy === undefined ? 404 : 200, { 'content-type': 'text/plain' })
          .end(policy ?? '');
      },
    );
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.on('tlsClientError', (error) =>
      logger.debug({ event: 'policy.connection_failed', err: error }, 'a policy connection failed'),
    );
  }

  /** Listens on a free port of 127.0.0.1. */
  static async start(
    houses: ReadonlyMap<string, RunningHouse>,
    authority: Authority,
    logger: Logger,
  ): Promise<PolicyServer> {
    const policies = new PolicyServer(houses, authority, logger);
    await once(policies.server.listen(0, '127.0.0.1'), 'listening');
    return policies;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  /** @param host as in the header: `mta-sts.<domain>`, with or without a port */
  private policyFor(host: string): string | undefined {
    const name = canonicalName(host.replace(/:\d+$/, ''));
    if (!name.startsWith(PREFIX) || !isWithin(name, HOUSES_ZONE)) return undefined;
    const house = this.houses.get(
      name
        .slice(0, -HOUSES_ZONE.length - 1)
        .split('.')
        .at(-1) ?? '',
    );
    return house && policyOf(house);
  }

  private contextOf(name: string): SecureContext {
    const known = this.contexts.get(name);
    if (known) return known;
    const context = createSecureContext(this.certificateFor(name));
    this.contexts.set(name, context);
    const [oldest] = this.contexts.keys();
    if (this.contexts.size > MAX_CONTEXTS && oldest !== undefined) this.contexts.delete(oldest);
    return context;
  }

  private certificateFor(name: string): { key: string; cert: string } {
    return signedBy(this.authority, { names: [name] });
  }
}
