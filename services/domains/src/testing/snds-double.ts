import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '@postmesh/secrets';

const KEY = 'our-snds-key';

/** Automated Data Access of Microsoft SNDS on TLS. Its answers have the documented columns, and were not recorded. */
export class SndsDouble {
  static readonly key = KEY;
  /** `GET /path` of each request without its key, in order */
  readonly requests: string[] = [];
  /** requests that no client may make */
  readonly faults: string[] = [];
  /** the answer for the key */
  answer = { status: 200, text: '' };

  private constructor(
    private readonly server: Server,
    readonly ca: string,
  ) {}

  static async start(): Promise<SndsDouble> {
    const ca = { name: 'SNDS CA', ...issueCertificate({ names: ['SNDS CA'], isAuthority: true }) };
    const { key, cert } = issueCertificate({ names: ['snds.double.test'], issuer: ca });
    const server = createServer({ key, cert }, (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'https://snds.double.test');
      double.requests.push(`${request.method} ${pathname}`);
      if (
        request.method !== 'GET' ||
        pathname !== '/snds/data.aspx' ||
        [...searchParams.keys()].join() !== 'key'
      )
        double.faults.push(`${request.method} ${request.url}`);
      const isOurs = searchParams.get('key') === KEY;
      response.writeHead(isOurs ? double.answer.status : 400, { 'content-type': 'text/csv' });
      response.end(isOurs ? double.answer.text : '');
    });
    const double = new SndsDouble(server, ca.cert);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get api(): string {
    return `https://snds.double.test:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
