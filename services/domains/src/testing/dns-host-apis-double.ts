import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '@postmesh/secrets';
import type { DnsHostName } from '@postmesh/settings';

/** A record as a zone file has it; contents are compared as they are. */
export interface ZoneRecord {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl: number;
  readonly proxied?: boolean;
  readonly alias?: boolean;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** One host, with its answers to requests that have the right credential. */
export interface HostForm {
  readonly name: DnsHostName;
  /** host name and path of its API */
  readonly host: string;
  readonly base: string;
  readonly contentType: string;
  isAuthorised(asked: Asked): boolean;
  respond(asked: Asked, zone: ZoneDouble): Answer;
  refuse(status: 'unauthorised' | 'rate_limited'): Answer;
}

/** The one zone of a double. */
export class ZoneDouble {
  records: ZoneRecord[] = [];
  /** requests that break the documentation of the host */
  readonly faults: string[] = [];
  private last = 0;

  constructor(readonly name: string) {}

  add(type: string, name: string, content: string, more: Partial<ZoneRecord> = {}): void {
    this.last += 1;
    this.records.push({ id: `record${this.last}`, name, type, content, ttl: 300, ...more });
  }

  remove(id: string): void {
    if (!this.records.some((record) => record.id === id)) this.faults.push(`no record ${id}`);
    this.records = this.records.filter((record) => record.id !== id);
  }

  at(name: string): ZoneRecord[] {
    return this.records.filter((record) => record.name === name);
  }
}

export type Mishap = 'unauthorised' | 'rate_limited' | 'down' | 'half' | 'cut' | 'nonsense';

/** DNS hosts on TLS. Each request is checked against the documentation of its host. */
export class DnsHostApisDouble {
  /** `desec GET /path` of each request, in order */
  readonly requests: string[] = [];
  mishap: Mishap | undefined;

  private constructor(
    private readonly server: Server,
    readonly ca: string,
    private readonly forms: readonly HostForm[],
    readonly zone: ZoneDouble,
  ) {}

  static async start(forms: readonly HostForm[], zone: ZoneDouble): Promise<DnsHostApisDouble> {
    const ca = { name: 'Host CA', ...issueCertificate({ names: ['Host CA'], isAuthority: true }) };
    const { key, cert } = issueCertificate({ names: forms.map(({ host }) => host), issuer: ca });
    const server = createServer({ key, cert }, (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (piece: string) => (body += piece));
      request.on('end', () => {
        const answer = double.answer(request, body);
        if (answer === 'cut') return void request.socket.destroy();
        response.writeHead(answer.status, { 'content-type': 'text/plain', 'retry-after': '1' });
        response.end(answer.body);
      });
    });
    const double = new DnsHostApisDouble(server, ca.cert, forms, zone);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  /** as in the setting */
  get apis(): Record<DnsHostName, string> {
    const { port } = this.server.address() as AddressInfo;
    return Object.fromEntries(
      this.forms.map(({ name, host, base }) => [name, `https://${host}:${port}${base}`]),
    ) as Record<DnsHostName, string>;
  }

  /** the next request looks its host up */
  dropConnections(): void {
    this.server.closeAllConnections();
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private answer(request: IncomingMessage, body: string): Answer | 'cut' {
    const url = new URL(request.url ?? '', 'https://double.test');
    const form = this.forms.find(({ host }) => request.headers.host?.split(':')[0] === host);
    const { method = '' } = request;
    if (!form || !url.pathname.startsWith(form.base))
      return this.fault(`${request.headers.host} ${request.url}`);
    const path = url.pathname.slice(form.base.length);
    this.requests.push(`${form.name} ${method} ${path}`);
    if (method !== 'GET' && request.headers['content-type'] !== form.contentType)
      this.fault(`${form.name}: content type ${request.headers['content-type']}`);
    if (request.headers.cookie !== undefined) this.fault('a cookie');
    const asked = { method, path, query: url.searchParams, headers: request.headers, body };
    const { mishap } = this;
    if (mishap === 'down') return { status: 503, body: 'down' };
    if (mishap === 'nonsense') return { status: 200, body: '<html>' };
    if (mishap === 'rate_limited') return form.refuse(mishap);
    if (mishap === 'unauthorised' || !form.isAuthorised(asked)) return form.refuse('unauthorised');
    const isWrite = method !== 'GET';
    const before = [...this.zone.records];
    const answer = form.respond(asked, this.zone);
    if (mishap === 'cut' && isWrite) return 'cut';
    if (mishap !== 'half' || !isWrite) return answer;
    // a host that is no transaction: what was there, and the first new record
    const [first] = this.zone.records.filter((record) => !before.includes(record));
    this.zone.records = [...before, ...(first && !before.some(({ id }) => id === first.id) ? [first] : [])];
    return { status: 500, body: 'half' };
  }

  private fault(text: string): Answer {
    this.zone.faults.push(text);
    return { status: 400, body: text };
  }
}

const json = (status: number, body: unknown): Answer => ({ status, body: JSON.stringify(body) });
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const ZONE_ID = 'z0123456789abcdef0123456789abcdef';

export const CLOUDFLARE: HostForm = {
  name: 'cloudflare',
  host: 'api.cloudflare.test',
  base: '/client/v4',
  contentType: 'application/json',
  isAuthorised: ({ headers }) => headers.authorization === 'Bearer cf-token',
  refuse: (why) =>
    why === 'rate_limited'
      ? json(429, { success: false, errors: [{ code: 971, message: 'slow down' }] })
      : json(400, { success: false, errors: [{ code: 6003, message: 'Invalid request headers cf-token' }] }),
  respond({ method, path, query, body }, zone) {
    const answer = (result: unknown) => json(200, { success: true, errors: [], messages: [], result });
    if (method === 'GET' && path === '/zones')
      return answer(
        query.get('name') === zone.name ? [{ id: ZONE_ID, name: zone.name, status: 'active' }] : [],
      );
    if (method === 'GET' && path === `/zones/${ZONE_ID}/dns_records`) {
      const shown = zone.at(query.get('name') ?? '').map((record) => {
        const [priority, host] = record.content.split(' ');
        const isMx = record.type === 'MX';
        return {
          ...record,
          ...(isMx ? { content: host, priority: Number(priority) } : {}),
          proxied: record.proxied ?? false,
        };
      });
      return answer(shown);
    }
    if (method !== 'POST' || path !== `/zones/${ZONE_ID}/dns_records/batch`) {
      zone.faults.push(`${method} ${path}`);
      return json(405, {});
    }
    const { patches, posts, ...others } = JSON.parse(body);
    if (Object.keys(others).length > 0) zone.faults.push(body);
    for (const { id } of patches) zone.remove(id);
    for (const { type, name, content, ttl, priority, proxied } of [...patches, ...posts]) {
      if (typeof ttl !== 'number' || (type === 'CNAME') !== (proxied === false)) zone.faults.push(body);
      if ((type === 'MX') !== (typeof priority === 'number')) zone.faults.push(body);
      zone.add(type, name, type === 'MX' ? `${priority} ${content}` : content, { ttl });
    }
    return answer({});
  },
};

export const DESEC: HostForm = {
  name: 'desec',
  host: 'desec.test',
  base: '/api/v1',
  contentType: 'application/json',
  isAuthorised: ({ headers }) => headers.authorization === 'Token desec-token',
  refuse: (why) =>
    why === 'rate_limited'
      ? json(429, { detail: 'Request was throttled. Expected available in 1 second.' })
      : json(401, { detail: 'Invalid token.' }),
  respond({ method, path, query, body }, zone) {
    const nameOf = (subname: string) => (subname === '' ? zone.name : `${subname}.${zone.name}`);
    if (!path.startsWith(`/domains/${zone.name}/`)) return json(404, { detail: 'Not found.' });
    if (method === 'GET' && path === `/domains/${zone.name}/`)
      return json(200, { name: zone.name, minimum_ttl: 3_600 });
    if (path !== `/domains/${zone.name}/rrsets/`) zone.faults.push(`${method} ${path}`);
    if (method === 'GET') {
      const subname = query.get('subname') ?? 'missing';
      const found = zone.at(nameOf(subname));
      const sets = [...new Set(found.map(({ type }) => type))].map((type) => {
        const records = found.filter((record) => record.type === type);
        return { subname, type, ttl: records[0]?.ttl, records: records.map(({ content }) => content) };
      });
      return json(200, sets);
    }
    if (method !== 'PATCH') zone.faults.push(`${method} ${path}`);
    for (const { subname, type, ttl, records } of JSON.parse(body)) {
      const wrong = (type === 'TXT' ? /^"/ : /\.$/).test(records.at(-1)) ? [] : [body];
      zone.faults.push(...wrong);
      const name = nameOf(subname);
      const [first] = zone.at(name).filter((record) => record.type === type);
      if (ttl < 3_600 && ttl !== first?.ttl) zone.faults.push(body);
      zone.records = zone.records.filter((record) => record.name !== name || record.type !== type);
      for (const content of records) zone.add(type, name, content, { ttl });
    }
    return json(200, []);
  },
};

const KEY_ID = 'AKIAEXAMPLE0000000000';
const SECRET = 'route53+secret/key';

/** AWS Signature Version 4, as its documentation says, without the library that signs. */
function signatureOf({ method, path, query, headers, body }: Asked): boolean {
  const [, key, date, region, service, names = '', given] =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (key !== KEY_ID || region !== 'us-east-1' || service !== 'route53' || date === undefined) return false;
  if (!['host', 'x-amz-date'].every((name) => names.split(';').includes(name))) return false;
  const pairs = [...query].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, path, pairs.toSorted().join('&'), lines.join(''), names, sha256(body)].join(
    '\n',
  );
  const scope = `${date}/us-east-1/route53/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const dated = hmac(hmac(hmac(hmac(`AWS4${SECRET}`, date), region), service), 'aws4_request');
  return hmac(dated, text).toString('hex') === given;
}

const xml = (status: number, body: string): Answer => ({ status, body: `<?xml version="1.0"?>${body}` });
const text = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const untext = (value: string): string => value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');

export const ROUTE53: HostForm = {
  name: 'route53',
  host: 'route53.test',
  base: '',
  contentType: 'text/xml',
  isAuthorised: (asked) => signatureOf(asked),
  refuse: (why) =>
    why === 'rate_limited'
      ? xml(
          400,
          '<ErrorResponse><Error><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>',
        )
      : xml(403, '<ErrorResponse><Error><Code>InvalidClientTokenId</Code></Error></ErrorResponse>'),
  respond({ method, path, query, body }, zone) {
    if (path === '/2013-04-01/hostedzonesbyname') {
      // the list begins at the name, and continues with those after it
      const one = (id: string, name: string, isPrivate: boolean) =>
        `<HostedZone><Id>/hostedzone/${id}</Id><Name>${name}.</Name><Config><PrivateZone>${isPrivate}</PrivateZone></Config></HostedZone>`;
      const own =
        one('ZPRIVATE', zone.name, true) +
        one('ZONE1', zone.name, false) +
        one('ZONE2', `a${zone.name}`, false);
      return xml(
        200,
        `<R><HostedZones>${query.get('dnsname') === zone.name ? own : one('ZONE2', 'z.test', false)}</HostedZones></R>`,
      );
    }
    if (method === 'GET' && path === '/2013-04-01/hostedzone/ZONE1/rrset') {
      const from = query.get('name') ?? '';
      const after = [...zone.at(from), ...zone.records.filter(({ name }) => name > from)];
      const keys = [...new Set(after.map(({ name, type }) => `${name} ${type}`))].slice(
        0,
        Number(query.get('maxitems')),
      );
      const sets = keys.map((key) => {
        const records = after.filter(({ name, type }) => `${name} ${type}` === key);
        const [first] = records;
        const shown = `<Name>${first?.name.replace('*', '\\052')}.</Name><Type>${first?.type}</Type>`;
        if (first?.alias)
          return `<ResourceRecordSet>${shown}<AliasTarget><DNSName>elb.</DNSName></AliasTarget></ResourceRecordSet>`;
        const values = records.map(
          ({ content }) => `<ResourceRecord><Value>${text(content)}</Value></ResourceRecord>`,
        );
        return `<ResourceRecordSet>${shown}<TTL>${first?.ttl}</TTL><ResourceRecords>${values.join('')}</ResourceRecords></ResourceRecordSet>`;
      });
      return xml(200, `<R><ResourceRecordSets>${sets.join('')}</ResourceRecordSets></R>`);
    }
    if (method !== 'POST' || path !== '/2013-04-01/hostedzone/ZONE1/rrset/') {
      zone.faults.push(`${method} ${path}`);
      return xml(404, '<ErrorResponse><Error><Code>NoSuchHostedZone</Code></Error></ErrorResponse>');
    }
    return changeRoute53(body, zone);
  },
};

/** A set is deleted only as it is, and created only where there is none; nothing is done otherwise. */
function changeRoute53(body: string, zone: ZoneDouble): Answer {
  const before = [...zone.records];
  for (const [, change = ''] of body.matchAll(/<Change>(.*?)<\/Change>/g)) {
    const [, action, name = '', type = '', ttl] =
      /^<Action>(\w+)<\/Action><ResourceRecordSet><Name>(\S+)\.<\/Name><Type>(\w+)<\/Type><TTL>(\d+)<\/TTL>/.exec(
        change,
      ) ?? [];
    const values = [...change.matchAll(/<Value>(.*?)<\/Value>/g)].map(([, value = '']) => untext(value));
    const present = zone.at(name).filter((record) => record.type === type);
    const isSame =
      present
        .map(({ content }) => content)
        .toSorted()
        .join('\n') === values.toSorted().join('\n') && present.every((record) => record.ttl === Number(ttl));
    if (action === 'DELETE' ? !isSame : action !== 'CREATE' || present.length > 0) {
      zone.records = before;
      return xml(
        400,
        '<ErrorResponse><Error><Code>InvalidChangeBatch</Code><Message>not found</Message></Error></ErrorResponse>',
      );
    }
    if (action === 'DELETE') for (const { id } of present) zone.remove(id);
    else for (const value of values) zone.add(type, name, value, { ttl: Number(ttl) });
  }
  return xml(200, '<R><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status></ChangeInfo></R>');
}

/** The credentials that the doubles take, as bodies have them. */
export const CREDENTIALS: Readonly<Record<DnsHostName, { token: string; access_key_id?: string }>> = {
  cloudflare: { token: 'cf-token' },
  desec: { token: 'desec-token' },
  route53: { token: SECRET, access_key_id: KEY_ID },
};
