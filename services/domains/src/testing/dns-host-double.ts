import { createPublicKey, verify } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '@postmesh/secrets';
import type { Template } from '../domain-connect/template.rules.js';

interface Published {
  readonly type: string;
  readonly host: string;
  readonly content: string;
}

const NAME = 'dc.host.test';

/** A DNS host with Domain Connect on TLS, which checks every request as the protocol demands. */
export class DnsHostDouble {
  /** `GET /path` of each request, in order */
  readonly requests: string[] = [];
  /** requests that no client may make */
  readonly faults: string[] = [];
  /** zones that it has, with their settings beyond the usual ones */
  readonly zones = new Map<string, object>();
  template: Template | undefined;
  status: number | undefined;

  private constructor(
    private readonly server: Server,
    readonly ca: string,
  ) {}

  static async start(): Promise<DnsHostDouble> {
    const ca = { name: 'DNS host CA', ...issueCertificate({ names: ['DNS host CA'], isAuthority: true }) };
    const { key, cert } = issueCertificate({ names: [NAME], issuer: ca });
    const server = createServer({ key, cert }, (request, response) => {
      const { status, body } = double.respond(request.method ?? '', request.url ?? '', request.headers);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    });
    const double = new DnsHostDouble(server, ca.cert);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** the text of `_domainconnect` */
  get pointer(): string {
    return `${NAME}:${this.port}/dc`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private respond(
    method: string,
    path: string,
    headers: Record<string, unknown>,
  ): { status: number; body?: object } {
    this.requests.push(`${method} ${path}`);
    if (method !== 'GET' || headers['authorization'] !== undefined || headers['cookie'] !== undefined)
      this.faults.push(`${method} ${path} ${JSON.stringify(headers)}`);
    if (this.status !== undefined) return { status: this.status };
    const zone = /^\/dc\/v2\/([a-z0-9.-]+)\/settings$/.exec(path)?.[1];
    if (zone !== undefined) return this.settings(zone);
    const [, provider, service] =
      /^\/api\/v2\/domainTemplates\/providers\/([\w.-]+)\/services\/([\w.-]+)$/.exec(path) ?? [];
    if (provider === undefined) this.faults.push(path);
    const isKnown = this.template?.providerId === provider && this.template?.serviceId === service;
    return isKnown ? { status: 200, body: { version: this.template?.version } } : { status: 404 };
  }

  private settings(zone: string): { status: number; body?: object } {
    const more = this.zones.get(zone);
    if (!more) return { status: 404 };
    const base = `https://${NAME}:${this.port}`;
    const body = {
      providerId: 'host.test',
      providerName: 'Example\u202eDNS',
      urlSyncUX: `${base}/sync`,
      urlAPI: `${base}/api`,
      nameServers: ['ns1.host.test'],
      urlControlPanel: 'https://host.test/?domain=%domain%',
      ...more,
    };
    return { status: 200, body };
  }

  /**
   * The page that the browser of the owner opens: checks the signature, and applies the template.
   * @param txt text records of a name, in which the key of the signer is published
   * @returns the records that it publishes
   * @throws Error for a request that it refuses
   */
  async apply(link: string, txt: (name: string) => Promise<string[]>): Promise<Published[]> {
    const { template } = this;
    if (!template) throw new Error('no template');
    const [address = '', query = ''] = link.split('?');
    const { providerId, serviceId, syncPubKeyDomain, syncRedirectDomain } = template;
    const path = `/sync/v2/domainTemplates/providers/${providerId}/services/${serviceId}/apply`;
    if (address !== `https://${NAME}:${this.port}${path}`) throw new Error(`not our page: ${address}`);
    const pairs = query.split('&').map((pair) => pair.split('=') as [string, string]);
    const values = Object.fromEntries(pairs.map(([name, value]) => [name, decodeURIComponent(value)]));
    const signed = pairs.filter(([name]) => name !== 'sig' && name !== 'key');
    const names = signed.map(([name]) => name);
    if (names.join() !== names.toSorted().join()) throw new Error('not sorted');
    const key = keyIn(await txt(`${values['key']}.${syncPubKeyDomain}`));
    const text = signed.map((pair) => pair.join('=')).join('&');
    if (!verify('RSA-SHA256', Buffer.from(text), key, Buffer.from(values['sig'] ?? '', 'base64')))
      throw new Error('the signature is wrong');
    if (values['redirect_uri'] && new URL(values['redirect_uri']).hostname !== syncRedirectDomain)
      throw new Error('leads elsewhere');
    if (!this.zones.has(values['domain'] ?? '')) throw new Error('not our zone');
    return this.publish(template, values);
  }

  private publish({ records }: Template, values: Record<string, string>): Published[] {
    const root = [values['host'], values['domain']].filter(Boolean).join('.');
    const groups = values['groupId']?.split(',') ?? [];
    const filled = (given: string): string =>
      given.replace(/%(\w+)%/g, (_, name: string) => {
        const value = values[name];
        if (value === undefined) throw new Error(`no value of ${name}`);
        return value;
      });
    return records
      .filter(({ groupId }) => groups.includes(groupId))
      .map(({ type, host, pointsTo, data, spfRules }) => ({
        type: type === 'SPFM' ? 'TXT' : type,
        host: host === '@' ? root : `${filled(host)}.${root}`,
        content: spfRules === undefined ? filled(pointsTo ?? data ?? '') : `v=spf1 ${spfRules} ~all`,
      }));
  }
}

/** A key of its fragments, in the order of their numbers. */
function keyIn(texts: readonly string[]) {
  const fragments = texts.map((text) => Object.fromEntries(text.split(',').map((part) => split(part))));
  if (fragments.length === 0 || !fragments.every(({ a }) => a === 'RS256'))
    throw new Error('no key of RS256');
  const data = fragments.toSorted((a, b) => Number(a['p']) - Number(b['p'])).map(({ d }) => d);
  return createPublicKey({ key: Buffer.from(data.join(''), 'base64'), format: 'der', type: 'spki' });
}

const split = (part: string): [string, string] => {
  const at = part.indexOf('=');
  return [part.slice(0, at), part.slice(at + 1)];
};
