import {
  BROWSER_HEADER,
  newId,
  OIDC_COOKIE,
  ROLES,
  SESSION_COOKIE,
  type RecentChange,
} from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DoubleSession } from '../testing/accounts-double.js';
import { recent, takeReceived } from '../testing/echo-service.js';
import { smtpSettings } from '../smtp/smtp-settings.rules.js';
import { MODES, startGateway, type TestGateway } from '../testing/start-gateway.js';
import { MAX_PER_ACCOUNT } from './account-streams.js';

const database = testDatabase();

interface Options {
  method?: 'GET' | 'POST' | 'DELETE';
  /** of the cookie; left out: no cookie */
  session?: DoubleSession;
  headers?: Record<string, string>;
  body?: string;
  /** of a page of the console; false: of another program */
  page?: boolean;
  url?: string;
}

const asker =
  (gateway: () => TestGateway) =>
  async (path: string, { method = 'GET', session, headers = {}, body, page = true, url }: Options = {}) => {
    const to = url ?? gateway().url;
    const response = await request(`${to}${path}`, {
      method,
      headers: {
        ...(session && { cookie: `${SESSION_COOKIE}=${session.secret}` }),
        ...(page && { origin: to, 'sec-fetch-site': 'same-origin' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.body.text();
    return {
      status: response.statusCode,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };

describe.each(MODES)('an operation of the API in the console, %s', (mode) => {
  let gateway: TestGateway;
  const ask = asker(() => gateway);
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode);
  });
  afterAll(() => gateway.stop());
  beforeEach(() => void takeReceived());

  it('has the principal of the session, and the query', async () => {
    const session = gateway.accounts.addSession({ role: 'Developer' });
    const path = `/console/api/v2/accounts/${session.accountId}/messages/some?a=1`;
    const { status, headers, body } = await ask(path, { session, headers: { authorization: 'Bearer x' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 'some',
      query: { a: '1' },
      account: session.accountId,
      scopes: ROLES.Developer.scopes,
      member: { user_id: session.userId, role: 'Developer' },
    });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is written into the audit before it runs, with its outcome', async () => {
    const session = gateway.accounts.addSession();
    const path = `/console/api/v2/accounts/${session.accountId}/messages/conversation`;
    const sent = await ask(path, { method: 'POST', session, body: '{"x":1}' });
    expect([sent.status, sent.body.length]).toEqual([202, 7]);
    await vi.waitFor(() =>
      expect([...gateway.accounts.notes.values()]).toMatchObject([
        {
          note: {
            member: session.userId,
            action: 'messages.send-conversation',
            account_id: session.accountId,
          },
          status: 202,
        },
      ]),
    );
    takeReceived();
    gateway.accounts.away = true;
    const refused = await ask(path, { method: 'POST', session, body: '{"x":1}' });
    gateway.accounts.away = false;
    expect([refused.status, refused.body.message, takeReceived()]).toEqual([
      503,
      expect.stringContaining('audit'),
      [],
    ]);
  });

  it.each([
    ['without an Origin', { page: false, headers: { 'sec-fetch-site': 'same-origin' } }],
    ['of another site', { headers: { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' } }],
    ['of a site beside', { headers: { 'sec-fetch-site': 'same-site' } }],
    ['that no browser has sent', { page: false }],
  ])('refuses a write %s, and forwards nothing', async (_, options) => {
    const session = gateway.accounts.addSession();
    const path = `/console/api/v2/accounts/${session.accountId}/messages/conversation`;
    const refused = await ask(path, { method: 'POST', session, body: '{}', ...options });
    expect([refused.status, takeReceived()]).toEqual([403, []]);
  });

  it('is of the account of the session', async () => {
    const session = gateway.accounts.addSession();
    const refused = await ask(`/console/api/v2/accounts/${newId()}/messages/some`, { session });
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: 'the session is in another account, switch to it first' },
    ]);
  });
});

describe('a session', () => {
  let gateway: TestGateway;
  const ask = asker(() => gateway);
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    gateway = await startGateway(database.url, 'in process');
    await vi.waitFor(() => expect(gateway.accounts.leaseCount()).toBe(1));
  });
  afterAll(async () => {
    await gateway.stop();
    vi.useRealTimers();
  });
  const ping = async (session: DoubleSession | undefined, more: Options = {}) =>
    (await ask('/console/api/v2/ping', { ...(session && { session }), ...more })).status;

  it('reads where programs submit, from the gateway itself', async () => {
    const session = gateway.accounts.addSession({ role: 'Analyst' });
    const { status, body } = await ask('/console/api/smtp-settings', { session });
    expect([status, body]).toEqual([200, smtpSettings(gateway.context.settings)]);
    expect((await ask('/console/api/smtp-settings')).status).toBe(401);
  });

  it('is no API key, and an API key no session', async () => {
    const session = gateway.accounts.addSession();
    const key = gateway.accounts.addKey();
    expect(await ping(session)).toBe(200);
    const bearer = { authorization: `Bearer ${session.secret}` };
    expect((await ask('/v2/ping', { headers: bearer })).status).toBe(401);
    expect((await ask('/v2/ping', { session })).status).toBe(401);
    const refused = await ask('/console/api/v2/ping', { headers: { authorization: `Bearer ${key.secret}` } });
    expect([refused.status, refused.body]).toEqual([401, { message: 'sign in first' }]);
    const operation = await ask('/console/api/session', {
      headers: { authorization: `Bearer ${key.secret}` },
    });
    expect(operation.status).toBe(401);
  });

  it('is looked up once, and ends with the next request on every gateway', async () => {
    const other = await gateway.startAnother();
    await vi.waitFor(() => expect(gateway.accounts.leaseCount()).toBe(2));
    const session = gateway.accounts.addSession();
    const before = gateway.accounts.lookups;
    for (let at = 0; at < 5; at += 1) expect(await ping(session)).toBe(200);
    expect(gateway.accounts.lookups - before).toBe(1);
    expect(await ping(session, { url: other.url })).toBe(200);
    await gateway.accounts.endSession(session);
    expect([await ping(session), await ping(session, { url: other.url })]).toEqual([401, 401]);
  });

  it('is looked up again when its time may be over', async () => {
    const session = gateway.accounts.addSession({ validMs: -1 });
    const before = gateway.accounts.lookups;
    expect([await ping(session), await ping(session)]).toEqual([200, 200]);
    expect(gateway.accounts.lookups - before).toBe(2);
  });

  it.each([
    ['a member with a passkey confirms', { confirmedMs: -1 }, 403, 'Passkey'],
    ['one of single sign-on confirms', { confirmedMs: -1, confirmedBy: ['oidc' as const] }, 403, 'OIDC'],
    [
      'one with both may choose',
      { confirmedMs: -1, confirmedBy: ['passkey' as const, 'oidc' as const] },
      403,
      'Passkey, OIDC',
    ],
    ['one who has just done so does not', { confirmedMs: 60_000 }, 404, undefined],
    ['one without a passkey cannot', {}, 404, undefined],
  ])('%s before a deletion', async (_, options, status, way) => {
    const session = gateway.accounts.addSession(options);
    const path = `/console/api/v2/accounts/${session.accountId}`;
    const refused = await ask(`${path}/templates/${newId()}`, { method: 'DELETE', session });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([status, way]);
    expect((await ask(`${path}/messages/some`, { session })).status).toBe(200);
  });

  it('of a blocked account opens the operations of sessions only', async () => {
    const session = gateway.accounts.addSession({ blocked: true });
    const refused = await ask('/console/api/v2/ping', { session });
    expect([refused.status, refused.body]).toEqual([401, { message: 'account is suspended' }]);
    expect((await ask('/console/api/audit', { session })).status).toBe(401);
    // the double answers every request that reaches the accounts service
    expect((await ask('/console/api/session', { session })).body.url).toBe('/console/api/session');
  });

  it('has its use reported', async () => {
    const session = gateway.accounts.addSession();
    await ping(session);
    await vi.advanceTimersByTimeAsync(5_000);
    await vi.waitFor(() =>
      expect(gateway.accounts.uses).toContainEqual(
        expect.objectContaining({ key_id: session.keyId, session: true }),
      ),
    );
  });

  it.each([
    '/console/api/nonsense',
    '/console/api/v2/nonsense',
    '/console/api/v2',
    '/console/api/v2/console/api/session',
  ])('finds nothing at %s', async (path) =>
    expect((await ask(path, { session: gateway.accounts.addSession() })).status).toBe(404),
  );
});

describe('the stream of an account', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    gateway = await startGateway(database.url, 'in process');
  });
  afterAll(async () => {
    await gateway.stop();
    vi.useRealTimers();
  });
  beforeEach(() => void (recent.changes = []));

  const change = (kind: RecentChange['kind'], state: string): RecentChange => ({
    ...{ kind, state, id: newId() },
    at: new Date().toISOString(),
  });

  /** Opens a stream, which collects what comes. */
  async function open(session: DoubleSession, headers: Record<string, string> = {}) {
    const {
      statusCode: status,
      headers: given,
      body,
    } = await request(`${gateway.url}/console/api/events`, {
      headers: {
        cookie: `${SESSION_COOKIE}=${session.secret}`,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    });
    const seen = { status, type: given['content-type'], text: '', ended: false, close: () => body.destroy() };
    body.on('data', (bytes: Buffer) => (seen.text += bytes.toString()));
    body.once('close', () => (seen.ended = true));
    body.on('error', () => {});
    return seen;
  }
  const look = () => vi.advanceTimersByTimeAsync(2_000);

  it('has each change once, as far as the role may read it', async () => {
    const session = gateway.accounts.addSession({ role: 'Analyst' });
    const billing = gateway.accounts.addSession({ role: 'Billing Manager' });
    const [stream, other] = [await open(session), await open(billing)];
    expect([stream.status, stream.type]).toEqual([200, 'text/event-stream']);
    const delivered = change('message', 'Delivered');
    recent.changes = [delivered];
    await look();
    await vi.waitFor(() => expect(stream.text).toMatch(/id: \d{13}\nevent: changes\ndata: /));
    await look();
    const failing = change('webhook', 'failing');
    recent.changes.push(failing);
    await look();
    await vi.waitFor(() => expect(stream.text).toContain(failing.id));
    expect(stream.text.split(delivered.id)).toHaveLength(2);
    expect(other.text).not.toContain('changes');
    stream.close();
    other.close();
  });

  it('goes on from Last-Event-ID, and says when that is too long ago', async () => {
    const session = gateway.accounts.addSession();
    const missed = change('message', 'Bounced');
    recent.changes = [missed];
    const back = await open(session, { 'last-event-id': String(Date.now() - 60_000) });
    await vi.waitFor(() => expect(back.text).toContain(missed.id));
    for (const id of [String(Date.now() - 3_600_000), 'nonsense']) {
      const away = await open(session, { 'last-event-id': id });
      await vi.waitFor(() => expect(away.text).toContain('event: reset'));
      away.close();
    }
    back.close();
  });

  it('has a heartbeat, ends with its session, and asks for nothing then', async () => {
    const session = gateway.accounts.addSession();
    const stream = await open(session);
    await vi.advanceTimersByTimeAsync(15_000);
    await vi.waitFor(() => expect(stream.text).toContain(': still here'));
    await gateway.accounts.endSession(session);
    await vi.advanceTimersByTimeAsync(15_000);
    await vi.waitFor(() => expect(stream.ended).toBe(true));
    recent.since = [];
    await look();
    expect(recent.since).toEqual([]);
    expect((await open(session)).status).toBe(401);
  });

  it('is one of a bounded number', async () => {
    const session = gateway.accounts.addSession();
    const streams = await Promise.all(Array.from({ length: MAX_PER_ACCOUNT }, () => open(session)));
    expect((await open(session)).status).toBe(429);
    streams[0]?.close();
    await vi.waitFor(async () => {
      const again = await open(session);
      streams.push(again);
      expect(again.status).toBe(200);
    });
    for (const stream of streams) stream.close();
  });
});

describe('a sign-in', () => {
  let gateway: TestGateway;
  const ask = asker(() => gateway);
  beforeAll(async () => {
    gateway = await startGateway(database.url, 'in process', { trustedProxies: ['127.0.0.1/32'] });
  });
  afterAll(() => gateway.stop());
  const from = (ip: string, more: Options = {}) =>
    ask('/console/api/sign-in-links', {
      method: 'POST',
      body: '{"email":"ann@mail.test"}',
      ...more,
      headers: { 'x-forwarded-for': ip, 'user-agent': 'Browser', ...more.headers },
    });

  it('reaches the accounts service with its browser, and without anything that could be trusted', async () => {
    const { status, body } = await from('192.0.2.1', {
      headers: { authorization: 'Bearer x', cookie: 'a=b', 'x-principal': 'x' },
    });
    expect(status).toBe(202);
    expect(body.url).toBe('/public/console/sign-in-links');
    expect(body.headers).toMatchObject({ 'x-client-ip': '192.0.2.1', 'user-agent': 'Browser' });
    expect(Object.keys(body.headers)).not.toEqual(expect.arrayContaining(['authorization']));
    for (const name of ['authorization', 'cookie', 'x-principal']) expect(body.headers[name]).toBeUndefined();
    const begun = await ask('/console/api/sessions', { method: 'POST', body: '{"token":"x"}' });
    expect(begun.body.url).toBe('/public/console/sessions');
  });

  it('at the provider belongs to a browser by its cookie, and to nothing that a page says', async () => {
    const cookie = `a=b; ${OIDC_COOKIE}=${'x'.repeat(64)}`;
    const begin = (headers: Record<string, string>) =>
      ask('/console/api/oidc-sign-ins', { method: 'POST', body: '{"response":"x"}', headers });
    const { body } = await begin({ cookie, [BROWSER_HEADER]: 'forged' });
    expect(body.url).toBe('/public/console/oidc-sign-ins');
    expect([body.headers[BROWSER_HEADER], body.headers.cookie]).toEqual(['x'.repeat(64), undefined]);
    const without: Record<string, string>[] = [
      { [BROWSER_HEADER]: 'forged' },
      { cookie: `${OIDC_COOKIE}=short` },
    ];
    for (const headers of without)
      expect((await begin(headers)).body.headers[BROWSER_HEADER]).toBeUndefined();
  });

  it('comes from a page of the console, as JSON of a small size', async () => {
    expect((await from('192.0.2.2', { page: false })).status).toBe(403);
    expect((await from('192.0.2.2', { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await from('192.0.2.2', { body: JSON.stringify('x'.repeat(20_000)) })).status).toBe(413);
  });

  it('is never a GET: programs that scan mail follow links', async () => {
    const refused = await ask('/console/api/sign-in-links', { headers: { 'x-forwarded-for': '192.0.2.4' } });
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'POST']);
  });

  it('is limited for a peer', async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => from('192.0.2.3')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
    // the page itself, which asks for the ways in, opens all the same
    const headers = { 'x-forwarded-for': '192.0.2.3' };
    expect((await ask('/console/api/sign-in-ways', { headers })).status).toBe(202);
    const begun = await ask('/console/api/oidc-sign-ins/options', { method: 'POST', body: '{}', headers });
    expect(begun.status).toBe(429);
  });
});

it('POSTMESH_CONSOLE=off closes every path of the console', async () => {
  const gateway = await startGateway(database.url, 'in process', { console: false });
  try {
    const ask = asker(() => gateway);
    const session = gateway.accounts.addSession();
    const paths = ['/console/api/session', '/console/api/v2/ping', '/console/api/openapi.json'];
    for (const path of paths) expect((await ask(path, { session })).status).toBe(404);
    expect((await ask('/console/api/sessions', { method: 'POST', body: '{}' })).status).toBe(404);
  } finally {
    await gateway.stop();
  }
});
