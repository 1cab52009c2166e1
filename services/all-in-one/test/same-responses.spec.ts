import { Agent, request as httpRequest, STATUS_CODES } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCOUNTS_SERVICE, FirstAccount } from '@postmesh/accounts';
import { newId } from '@postmesh/contracts';
import { GATEWAY_SERVICE, GatewayListeners } from '@postmesh/gateway';
import { ServiceDirectory } from '@postmesh/http';
import { MESSAGES_SERVICE } from '@postmesh/messages';
import { bodyRooms, startService, type RunningService } from '@postmesh/service-host';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Real services and two gateways before them: one is in their process and passes its requests on, the other one
// reaches them over HTTP. A client gets the same response from both.

const database = testDatabase();
const WAYS = ['in process', 'over HTTP'] as const;
type Way = (typeof WAYS)[number];

const DOMAIN = {
  domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
  account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
  domain: 'shop.test',
  dns_valid: true,
  paused: false,
  deleted: false,
  sending_type: 'transactional',
  return_path_host: 'rp.shop.test',
  tracking_host: null,
  revision: 1,
};

const SEND = {
  from: { email: 'news@shop.test' },
  recipients: [{ email: 'ann@mail.test' }],
  subject: 'Hello',
  text_content: 'Hello Ann',
};

const LARGE_SEND = { ...SEND, text_content: 'x'.repeat(2_000_000) };

const TEMPLATE = { name: 'T', editor: 'html' };

interface Asked {
  method: string;
  /** `{A}` is replaced by the path of the account, `{id}` and `{large}` by its messages */
  path: string;
  /** text and bytes are sent unchanged, other values as JSON */
  body?: unknown;
  headers?: Record<string, string>;
  /** the key of the request; `all` by default */
  by?: 'all' | 'reader' | 'nobody';
}

/** Everything that a client sees of a response. */
interface Seen {
  status: string;
  /** names and values alternate, in the order of arrival */
  head: string[];
  body: string;
}

const post = (path: string, body: unknown, more: Partial<Asked> = {}): Asked => ({
  method: 'POST',
  path,
  body,
  ...more,
});
const get = (path: string, more: Partial<Asked> = {}): Asked => ({ method: 'GET', path, ...more });
const keyed = (key: string, more: Record<string, string> = {}) => ({
  headers: { 'idempotency-key': key, ...more },
});

/** Every status and every step at which a request can end. */
const REQUESTS: Record<string, readonly [status: number, Asked]> = {
  'a ping': [200, get('/v2/ping')],
  'a send': [202, post('{A}/messages', SEND)],
  'a conversation': [
    202,
    post('{A}/messages/conversation', {
      from: { email: 'news@shop.test' },
      to: [{ email: 'ann@mail.test' }],
      subject: 'Hello',
      text_content: 'x',
    }),
  ],
  'a list': [200, get('{A}/messages?limit=2')],
  'a message': [200, get('{A}/messages/{id}')],
  'a message that comes as a stream': [200, get('{A}/messages/{large}')],
  'a change of an account': [200, { method: 'PUT', path: '{A}', body: { about: 'x' } }],
  'a template': [201, post('{A}/templates', TEMPLATE)],
  'a deletion by query': [404, { method: 'DELETE', path: '{A}/suppressions?email=kim%40mail.test' }],
  'a body that is no JSON': [400, post('{A}/messages', '{"from":')],
  'a body that is no object': [400, post('{A}/messages', [1])],
  'no body': [400, { method: 'POST', path: '{A}/messages' }],
  'a body of nothing': [400, post('{A}/messages', '')],
  'a field that is unknown': [400, post('{A}/messages', { ...SEND, other: 1 })],
  'a field of another type': [400, post('{A}/messages', { ...SEND, subject: 1 })],
  'a prototype in the body': [400, post('{A}/messages', '{"__proto__":{"a":1}}')],
  'a type that is not JSON': [
    415,
    post('{A}/messages', 'from=a', { headers: { 'content-type': 'text/plain' } }),
  ],
  'a body that is too large': [413, post('{A}/messages', Buffer.alloc(30_000_001, ' '))],
  'a chunked body that is too large': [
    413,
    post('{A}/messages', Buffer.alloc(30_000_001, ' '), {
      headers: { 'transfer-encoding': 'chunked' },
    }),
  ],
  'a chunked body': [202, post('{A}/messages', SEND, { headers: { 'transfer-encoding': 'chunked' } })],
  'a body of 2 MB': [202, post('{A}/messages', LARGE_SEND)],
  'a domain that is not the account’s': [
    400,
    post('{A}/messages', { ...SEND, from: { email: 'a@other.test' } }),
  ],
  'a key without the scope to send': [403, post('{A}/messages', SEND, { by: 'reader' })],
  'a key without a static scope': [403, post('{A}/templates', TEMPLATE, { by: 'reader' })],
  'a key without a scope of the family': [403, get('{A}/statistics/transactional/bounce', { by: 'reader' })],
  'sub-accounts of who is no partner': [403, get('{A}/sub-accounts', { by: 'reader' })],
  nobody: [401, get('{A}/messages', { by: 'nobody' })],
  'another account': [401, get(`/v2/accounts/${newId()}/messages`)],
  'an account that is no id': [400, get('/v2/accounts/x/messages')],
  'an account in capitals': [200, get('{a}/messages?limit=1')],
  'a path that is unknown': [404, get('{A}/nothing')],
  'a method that is not allowed': [405, { method: 'PUT', path: '{A}/messages', body: {} }],
  'a HEAD': [405, { method: 'HEAD', path: '{A}/messages' }],
  'a message that is not there': [404, get(`{A}/messages/${newId()}`)],
  'a message by a name that is none': [400, get('{A}/messages/a%20b')],
  'an id of a template that is none': [400, get('{A}/templates/x')],
  'a template that is not there': [404, get(`{A}/templates/${newId()}`)],
  'a limit that is none': [400, get('{A}/messages?limit=x')],
  'a limit that is empty': [200, get('{A}/messages?limit=')],
  'a limit twice': [200, get('{A}/messages?limit=1&limit=x')],
  'a cursor that is none': [400, get('{A}/messages?after=x')],
  'a time that is none': [400, get('{A}/messages?from_time=x')],
  'percent signs that are none in the query': [400, get('{A}/messages?limit=%zz')],
  'a plus and an encoded name in the query': [200, get('{A}/messages?%6cimit=1&subject=a+b')],
  'a path to a literal with an encoded character': [200, get('{A}/%6dessages?limit=1')],
  'a fragment': [404, get('{A}/messages/{id}#x')],
  'an idempotency key that is too long': [400, post('{A}/messages', SEND, keyed('k'.repeat(256)))],
  'a GET with a body': [200, get('{A}/messages?limit=1', { body: { a: 1 } })],
  'a client that waits for leave to send': [
    202,
    post('{A}/messages', SEND, {
      headers: { expect: '100-continue' },
    }),
  ],
};

describe('an operation that is called in the process and over HTTP', () => {
  let messages: TestService;
  let accounts: RunningService;
  let dataDir: string;
  let remote: ServiceDirectory;
  let account: string;
  let message: string;
  let large: string;
  const keys = { all: '', reader: '', nobody: 'pm-sk-nobody' };
  const gateways: RunningService[] = [];
  const ports = {} as Record<Way, number>;
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    messages = await startTestService(MESSAGES_SERVICE, {
      databaseUrl: database.url,
      neighbours: { domains: domainsOf },
      settings: { logLevel: 'silent' },
    });
    accounts = await startService(ACCOUNTS_SERVICE, messages.context);
    const urlOf = async (service: RunningService) =>
      `http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`;
    remote = new ServiceDirectory({
      messages: await urlOf(messages.service),
      accounts: await urlOf(accounts),
    });
    dataDir = await mkdtemp(join(tmpdir(), 'postmesh-same-'));
    ports['in process'] = await openGateway(messages.context.directory);
    ports['over HTTP'] = await openGateway(remote);
    const first = await accounts.get(FirstAccount).create();
    account = first.account_id;
    keys.all = first.api_key;
    const made = await ask('in process', post('{A}/api-keys', { label: 'k', scopes: ['messages:read:all'] }));
    keys.reader = JSON.parse(made.body).secret_key;
    message = await send(SEND);
    large = await send(LARGE_SEND);
  });
  afterAll(async () => {
    agent.destroy();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await remote?.close();
    await accounts?.stop();
    await messages?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function openGateway(directory: ServiceDirectory): Promise<number> {
    const settings = {
      ...messages.context.settings,
      dataDir,
      httpHost: '127.0.0.1',
      httpPort: 0,
      submissionPorts: [],
      mxPort: 0,
      smtpHost: '127.0.0.1',
      rateGeneralPerSecond: 10_000,
      rateGeneralBurst: 10_000,
    };
    // each process has its own; services of one process share it
    const rooms = directory === remote ? bodyRooms(settings) : messages.context.bodyRooms;
    const context = { ...messages.context, settings, directory, bodyRooms: rooms };
    const gateway = await startService(GATEWAY_SERVICE, context);
    gateways.push(gateway);
    return (await gateway.get(GatewayListeners).open()).httpPort;
  }

  /** @returns the id of its message */
  async function send(body: object): Promise<string> {
    return JSON.parse((await ask('in process', post('{A}/messages', body))).body).data[0].id;
  }

  function pathOf(path: string): string {
    return path
      .replace('{A}', `/v2/accounts/${account}`)
      .replace('{a}', `/v2/accounts/${account.toUpperCase()}`)
      .replace('{id}', encodeURIComponent(message))
      .replace('{large}', encodeURIComponent(large));
  }

  function ask(way: Way, { method, path, body, headers = {}, by = 'all' }: Asked): Promise<Seen> {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const length = 'transfer-encoding' in headers ? undefined : bytes?.length;
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        ...{ host: '127.0.0.1', port: ports[way], agent, method, path: pathOf(path) },
        headers: {
          authorization: `Bearer ${keys[by]}`,
          'content-type': 'application/json',
          ...(length === undefined ? {} : { 'content-length': length }),
          ...headers,
        },
      });
      let answered = false;
      // a client that is refused while it sends gets its response all the same
      request.on('error', (error) => (answered ? undefined : reject(error)));
      request.once('response', (response) => {
        answered = true;
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const status = `${response.statusCode} ${response.statusMessage}`;
          resolve({ status, head: response.rawHeaders, body: Buffer.concat(chunks).toString() });
        });
      });
      if (headers['expect'] === undefined) request.end(bytes);
      else request.once('continue', () => request.end(bytes)).flushHeaders();
    });
  }

  it.each(Object.entries(REQUESTS))('%s has the same response', async (_what, [status, asked]) => {
    const handed = await ask('in process', asked);
    expect(handed.status).toBe(`${status} ${STATUS_CODES[status]}`);
    expect(comparable(handed)).toEqual(comparable(await ask('over HTTP', asked)));
  });

  it.each(['201', '400', '403'] as const)('a response of %s is replayed by either', async (status) => {
    const requests: Record<typeof status, Asked> = {
      '201': post('{A}/templates', TEMPLATE, keyed('made')),
      '400': post('{A}/messages', { ...SEND, other: 1 }, keyed('refused')),
      '403': post('{A}/messages', SEND, { ...keyed('forbidden'), by: 'reader' }),
    };
    for (const [first, second] of [WAYS, [...WAYS].reverse()] as [Way, Way][]) {
      const asked = requests[status];
      const under = {
        ...asked,
        headers: { 'idempotency-key': `${asked.headers?.['idempotency-key']} ${first}` },
      };
      const made = await ask(first, under);
      const again = await ask(first, under);
      expect(made.status.slice(0, 3)).toBe(status);
      expect(again.head).toContain('idempotent-replayed');
      expect(again.body).toBe(made.body);
      expect(comparable(await ask(second, under))).toEqual(comparable(again));
      const other = { ...under, body: { ...SEND, subject: 'other' } };
      expect(comparable(await ask(second, other))).toEqual(comparable(await ask(first, other)));
    }
  });

  it('a stored response to a send is not replayed to a key that may not send, by either', async () => {
    const under = post('{A}/messages', SEND, keyed('sent'));
    expect((await ask('in process', under)).status).toBe('202 Accepted');
    for (const way of WAYS) {
      expect((await ask(way, under)).head).toContain('idempotent-replayed');
      expect((await ask(way, { ...under, by: 'reader' })).status).toBe('403 Forbidden');
    }
  });
});

/** Without ids and times, which differ each time. The order of header fields has no meaning (RFC 9110 §5.3). */
function comparable({ status, head, body }: Seen): Seen {
  const plain = (text: string) =>
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  const fields = head.flatMap((name, at) =>
    at % 2 === 0 ? [`${name}: ${name === 'Date' ? '<date>' : plain(head[at + 1] ?? '')}`] : [],
  );
  return {
    status,
    head: fields.toSorted(),
    body: plain(body),
  };
}

function domainsOf({ path }: { path: string }) {
  const domain = decodeURIComponent(path.split('/').at(-1) ?? '');
  return domain === DOMAIN.domain
    ? { status: 200, body: DOMAIN }
    : { status: 404, body: { message: 'domain not found' } };
}
