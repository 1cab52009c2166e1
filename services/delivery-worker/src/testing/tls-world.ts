import { createServer as createHttps } from 'node:https';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { createHash, X509Certificate } from 'node:crypto';
import type { Answer } from 'dns-packet';
import { issueCertificate, type KeyAndCertificate } from '@postmesh/secrets';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { NameServer, tlsa, type Zone } from './name-server.js';

export interface Pair extends KeyAndCertificate {
  readonly name: string;
}

/** Every certificate that this CA signs is trusted, once the CA is. */
export const makeCa = (name: string, issuer?: Pair): Pair => ({
  name,
  ...issueCertificate({ names: [name], isAuthority: true, ...(issuer ? { issuer } : {}) }),
});

/** A record that the certificate meets. @param fields usage, selector, matching type */
export function tlsaOf(
  name: string,
  fields: readonly [number, number, number],
  { cert }: { cert: string },
): Answer {
  const certificate = new X509Certificate(cert);
  const bytes =
    fields[1] === 0 ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' });
  const digest = fields[2] === 2 ? 'sha512' : 'sha256';
  const data = fields[2] === 0 ? bytes : createHash(digest).update(bytes).digest();
  return tlsa(name, fields, data);
}

export interface TakenOverTls {
  readonly recipient: string;
  readonly secure: boolean;
}

/** A real SMTP server with a certificate of its own. */
export class TlsMailHost {
  readonly taken: TakenOverTls[] = [];
  connections = 0;

  private constructor(
    private readonly server: SMTPServer,
    readonly address: string,
  ) {}

  static async start(
    at: { address: string; port: number },
    options: SMTPServerOptions = {},
  ): Promise<TlsMailHost> {
    const server: SMTPServer = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 100,
      onConnect: (_session, done) => {
        host.connections += 1;
        done();
      },
      onData: (stream, session, done) => {
        stream.on('data', () => undefined);
        stream.on('end', () => {
          for (const { address } of session.envelope.rcptTo) {
            host.taken.push({ recipient: address, secure: session.secure });
          }
          done();
        });
      },
      ...options,
    });
    const host = new TlsMailHost(server, at.address);
    // The server's errors about failed handshakes are not tested here.
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(at.port, at.address, resolve));
    return host;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** Uses another certificate for the next handshakes. */
  showFromNowOn(pair: KeyAndCertificate): void {
    this.server.updateSecureContext(pair);
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}

export interface ServedPolicy {
  readonly text: string;
  readonly status?: number;
  readonly contentType?: string;
  readonly location?: string;
  /** the server's identity; the requested name, signed by the CA of the server, unless given */
  readonly pair?: KeyAndCertificate;
  /** no answer at all */
  readonly isSilent?: boolean;
}

/** A web server for MTA-STS policies, with a certificate for each requested name. */
export class PolicyServer {
  readonly policies = new Map<string, ServedPolicy>();
  readonly asked: string[] = [];

  private constructor(
    private readonly server: HttpsServer,
    readonly port: number,
  ) {}

  static async start(ca: Pair): Promise<PolicyServer> {
    const contexts = new Map<string, ReturnType<typeof createSecureContext>>();
    const server = createHttps({
      SNICallback: (name, done) => {
        const given = policies.policies.get(name.replace(/^mta-sts\./, ''))?.pair;
        const context = given === undefined ? contexts.get(name) : createSecureContext(given);
        const made = context ?? createSecureContext(issueCertificate({ names: [name], issuer: ca }));
        if (given === undefined) contexts.set(name, made);
        done(null, made);
      },
    });
    server.on('request', (request, response) => {
      const domain = (request.headers.host ?? '').replace(/^mta-sts\./, '').replace(/:\d+$/, '');
      policies.asked.push(domain);
      const policy = policies.policies.get(domain);
      if (policy?.isSilent) return;
      const isThere = policy !== undefined && request.url === '/.well-known/mta-sts.txt';
      const headers = {
        'content-type': policy?.contentType ?? 'text/plain; charset=utf-8',
        ...(policy?.location === undefined ? {} : { location: policy.location }),
      };
      response.writeHead(isThere ? (policy.status ?? 200) : 404, headers).end(policy?.text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const policies = new PolicyServer(server, (server.address() as AddressInfo).port);
    return policies;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export const policyText = (
  mx: string,
  { mode = 'enforce', maxAge = 604_800 }: { mode?: string; maxAge?: number } = {},
): string => `version: STSv1\nmode: ${mode}\nmx: ${mx}\nmax_age: ${maxAge}\n`;

/** A name server with records that tests change; a missing record does not exist. */
export class Records {
  private readonly records = new Map<string, ReturnType<Zone>>();

  /** @param what `MX a.test` */
  set(what: string, answer: ReturnType<Zone>): void {
    this.records.set(what, answer);
  }

  delete(what: string): void {
    this.records.delete(what);
  }

  serve(): Promise<NameServer> {
    return NameServer.start((name, type) => this.records.get(`${type} ${name}`) ?? 'NXDOMAIN');
  }
}
