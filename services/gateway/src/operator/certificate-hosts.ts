import { TokenBuckets } from '@postmesh/concurrency';
import { ApiError, normaliseDomain } from '@postmesh/contracts';
import { LinkHost } from '@postmesh/domains-contract';
import type { InternalClient } from '@postmesh/http';
import type { Settings } from '@postmesh/settings';
import type { OperatorRequest } from './operator-server.js';

/** Anyone can name hosts to a proxy; each unknown one is a look-up. */
const LIMIT = { perSecond: 10, burst: 50 };
const OF_ZONE = ['track', 'subs', 'media'];

interface Ports {
  client: InternalClient;
  /** of this process */
  settings: Settings;
}

const tooMany = () => new ApiError(429, 'too many questions about hosts, ask again');
const notServed = () => new ApiError(404, 'host is not served here');

/**
 * `GET /tls/ask?domain=<host>`: whether a proxy fetches a certificate for a host (Caddy's `on_demand_tls`, `ask`). It does for the
 * host of the API, the hosts of links in the zone of the service, and those that customers have for their links.
 */
export class CertificateHosts {
  private readonly buckets = new TokenBuckets();

  /** @throws ApiError 404 for other hosts, 429 */
  async ask({ client, settings }: Ports, { query }: OperatorRequest): Promise<LinkHost> {
    const host = normaliseDomain(query.get('domain') ?? '');
    if (host === undefined) throw notServed();
    const { baseUrl, serviceZone } = settings;
    const own = OF_ZONE.map((label) => `${label}.${serviceZone}`);
    if (baseUrl !== undefined) own.push(new URL(baseUrl).hostname);
    if (own.includes(host)) return { host };
    if (this.buckets.take('hosts', LIMIT) > 0) throw tooMany();
    const path = `/internal/link-hosts/${encodeURIComponent(host)}`;
    const found = await client.request('domains', { method: 'GET', path }, LinkHost);
    if (!found) throw notServed();
    return found;
  }
}
