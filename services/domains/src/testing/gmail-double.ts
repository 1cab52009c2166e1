import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '@postmesh/secrets';

const CREDENTIALS = {
  client_id: 'our-client',
  client_secret: 'our-secret',
  refresh_token: 'our-refresh-token',
};
const METRICS = [
  ['SPAM_RATE', undefined],
  ['AUTH_SUCCESS_RATE', 'auth_type = "spf"'],
  ['AUTH_SUCCESS_RATE', 'auth_type = "dkim"'],
  ['AUTH_SUCCESS_RATE', 'auth_type = "dmarc"'],
  ['TLS_ENCRYPTION_RATE', 'traffic_direction = "inbound"'],
];

/**
 * Google's token endpoint and Postmaster Tools on TLS, which check each request by the reference: the answers have its
 * form, and were not recorded.
 */
export class GmailDouble {
  static readonly credentials = CREDENTIALS;
  /** `POST /path` of each request, in order */
  readonly requests: string[] = [];
  /** requests that no client may make */
  readonly faults: string[] = [];
  /** answers per domain; none: PERMISSION_DENIED */
  readonly stats = new Map<string, object>();
  /** the status of every answer of Postmaster Tools */
  status: number | undefined;

  private constructor(
    private readonly server: Server,
    readonly ca: string,
  ) {}

  static async start(): Promise<GmailDouble> {
    const ca = { name: 'Gmail CA', ...issueCertificate({ names: ['Gmail CA'], isAuthority: true }) };
    const { key, cert } = issueCertificate({ names: ['gmail.double.test'], issuer: ca });
    const server = createServer({ key, cert }, (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (part: string) => (body += part));
      request.on('end', () => {
        const path = request.url ?? '';
        double.requests.push(`${request.method} ${path}`);
        const answer =
          path === '/token'
            ? double.token(body, request.headers['content-type'])
            : double.query(path, body, request.headers.authorization);
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer.body ?? {}));
      });
    });
    const double = new GmailDouble(server, ca.cert);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get api(): string {
    return `https://gmail.double.test:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private token(body: string, type: string | undefined): { status: number; body?: object } {
    if (type !== 'application/x-www-form-urlencoded') this.faults.push(`content-type ${type}`);
    const given = Object.fromEntries(new URLSearchParams(body));
    if (given['grant_type'] !== 'refresh_token') this.faults.push(`grant_type ${given['grant_type']}`);
    const isRight = Object.entries(CREDENTIALS).every(([name, value]) => given[name] === value);
    if (!isRight) return { status: 400, body: { error: 'invalid_grant' } };
    return {
      status: 200,
      body: { access_token: 'an-access-token', expires_in: 3_599, token_type: 'Bearer' },
    };
  }

  private query(path: string, body: string, authorization?: string): { status: number; body?: object } {
    const domain = /^\/v2\/domains\/([a-z0-9.-]+)\/domainStats:query$/.exec(path)?.[1];
    if (domain === undefined) this.faults.push(path);
    if (authorization !== 'Bearer an-access-token') return { status: 401 };
    this.check(JSON.parse(body));
    if (this.status !== undefined) return { status: this.status };
    const stats = this.stats.get(domain ?? '');
    return stats
      ? { status: 200, body: stats }
      : { status: 403, body: { error: { status: 'PERMISSION_DENIED' } } };
  }

  // eslint-disable-next-line typescript/no-explicit-any
  private check({ metricDefinitions, timeQuery, aggregationGranularity, pageSize }: any): void {
    const asked = (metricDefinitions as { baseMetric: { standardMetric: string }; filter?: string }[]).map(
      ({ baseMetric, filter }) => [baseMetric.standardMetric, filter],
    );
    if (JSON.stringify(asked) !== JSON.stringify(METRICS)) this.faults.push(JSON.stringify(asked));
    const [{ start, end }] = timeQuery.dateRanges.dateRanges;
    const at = (day: { year: number; month: number; day: number }) =>
      Date.UTC(day.year, day.month - 1, day.day);
    if (!(at(start) < at(end)) || at(end) > Date.now()) this.faults.push(JSON.stringify(timeQuery));
    if (aggregationGranularity !== 'DAILY' || pageSize > 200)
      this.faults.push(`${aggregationGranularity} ${pageSize}`);
  }
}
