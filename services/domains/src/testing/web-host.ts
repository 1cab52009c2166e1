import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '@postmesh/secrets';

interface ServedFile {
  status?: number;
  contentType: string;
  text: string;
}

/** A web server on TLS with a certificate for its names. */
export class WebHost {
  /** `host/path` without the port → the file there */
  readonly files = new Map<string, ServedFile>();
  /** `host/path` of each request, in order */
  readonly requests: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly ca: string,
  ) {}

  static async start(names: readonly string[]): Promise<WebHost> {
    const ca = { name: 'Web CA', ...issueCertificate({ names: ['Web CA'], isAuthority: true }) };
    const { key, cert } = issueCertificate({ names: [...names], issuer: ca });
    const server = createServer({ key, cert }, (request, response) => {
      const at = `${(request.headers.host ?? '').replace(/:\d+$/, '')}${request.url ?? ''}`;
      host.requests.push(at);
      const file = host.files.get(at);
      response.writeHead(file ? (file.status ?? 200) : 404, {
        'content-type': file?.contentType ?? 'text/plain',
      });
      response.end(file?.text);
    });
    const host = new WebHost(server, ca.cert);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
