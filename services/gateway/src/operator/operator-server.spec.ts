import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { loadSettings } from '@postmesh/settings';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { SERVICES } from '@postmesh/contracts';
import type { GroupLag } from '@postmesh/events';
import { InternalClient, ServiceDirectory, ServiceTokens } from '@postmesh/http';
import { createLogger } from '@postmesh/observability';
import { addOperatorRoutes } from './operator-routes.js';
import { Operators } from './operators.js';
import { OperatorServer } from './operator-server.js';

const TOKEN = 'pm-op-a-token-of-an-operator';
const ONCALLS = 'pm-op-a-token-of-oncall-alone';
const NOTE = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const logger = createLogger({ logLevel: 'silent' }, 'test');

const DEAD_LETTER = { id: '1', consumer: 'domains.account-changes', died_at: '2026-01-05T08:00:00.000Z' };
const json = (body: unknown) => ({ status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(body)) });

describe('the operator interface', () => {
  let ready = false;
  let alive = true;
  let started = false;
  let base = '';
  const asked: { method: string; path: string; body: unknown; operator: unknown }[] = [];
  const noted: unknown[] = [];
  const zone = {
    driver: 'pulled',
    waiting: 0,
    problem: null as string | null,
    next_at: null as string | null,
  };
  const lag: GroupLag[] = [];
  const egress: object[] = [];
  const server = new OperatorServer({
    host: '127.0.0.1',
    port: 0,
    operators: Operators.fromSettings({
      operatorToken: TOKEN,
      operatorTokens: [{ name: 'oncall', token: ONCALLS }],
    }),
    logger,
    readiness: async () => ({ gateway: ready }),
    isAlive: () => alive,
    metrics: async () => '# HELP postmesh_x x\n',
  });

  beforeAll(async () => {
    const directory = new ServiceDirectory({});
    for (const service of SERVICES) {
      directory.addLocal(service, {
        route: () => undefined,
        inject: async () => json({ retried: 0 }),
      });
    }
    directory.addLocal('domains', {
      route: () => undefined,
      inject: async ({ method, path, body, headers }) => {
        if (path === '/operator/jobs/retry') return json({ retried: 0 });
        if (path === '/operator/zone/publication') return json(zone);
        if (path === '/internal/link-hosts/go.customer.test') return json({ host: 'go.customer.test' });
        if (path.startsWith('/internal/link-hosts/'))
          return { status: 404, headers: {}, bytes: Buffer.from('{"message":"domain not found"}') };
        asked.push({ method, path, body, operator: headers['x-operator'] });
        if (path.startsWith('/operator/dead-letters?')) return json({ dead_letters: [DEAD_LETTER] });
        if (path === '/operator/dead-letters/replay') return json({ replayed: 2, failed: 1 });
        return { status: 201, headers: {}, bytes: Buffer.from('{"zone":1}') };
      },
    });
    directory.addLocal('delivery-worker', {
      route: () => undefined,
      inject: async ({ path }) => json(path === '/operator/egress' ? { checks: egress } : { retried: 0 }),
    });
    directory.addLocal('accounts', {
      route: () => undefined,
      inject: async ({ path, body, headers }) => {
        if (path === '/operator/jobs/retry') return json({ retried: 0 });
        noted.push([path, body, headers['x-operator']]);
        return { status: 201, headers: {}, bytes: Buffer.from(JSON.stringify({ id: NOTE })) };
      },
    });
    const ports = {
      client: new InternalClient(directory, new ServiceTokens([Buffer.alloc(32)], 'gateway')),
      bus: { lag: async () => lag },
      logger,
      settings: loadSettings({ POSTMESH_HTTP_PORT: '18080', POSTMESH_OPERATOR_TOKEN: TOKEN }),
      readiness: async () => ({ all: false }),
    };
    addOperatorRoutes(server, () => (started ? ports : undefined));
    base = `http://127.0.0.1:${await server.listen()}`;
  });
  afterAll(() => server.close());

  const call = async (path: string, init: RequestInit = {}, token = TOKEN) => {
    const response = await fetch(base + path, { ...init, headers: { authorization: `Bearer ${token}` } });
    return [response.status, await response.json()] as const;
  };

  it('serves health and metrics without a token', async () => {
    const live = await fetch(`${base}/health/live`);
    // a probe keeps its connection
    expect([live.status, live.headers.get('connection')]).toEqual([200, 'keep-alive']);
    expect((await fetch(`${base}/health/ready`)).status).toBe(503);
    expect(await call('/operator/doctor')).toEqual([503, { message: 'the installation is starting' }]);
    [ready, started] = [true, true];
    expect((await fetch(`${base}/health/ready`)).status).toBe(200);
    expect(await (await fetch(`${base}/metrics`)).text()).toContain('postmesh_x');
    alive = false;
    expect((await fetch(`${base}/health/live`)).status).toBe(503);
    alive = true;
  });

  it('says without a token which hosts are served, and bounds the look-ups', async () => {
    const served = async (domain: string) => (await fetch(`${base}/tls/ask?domain=${domain}`)).status;
    const own = ['localhost', 'track.postmesh.test', 'subs.POSTMESH.test.', 'go.customer.test'];
    expect(await Promise.all(own.map(served))).toEqual([404, 200, 200, 200]);
    const others = ['', 'a', 'foreign.test', '../operator', 'x'.repeat(300)];
    expect(await Promise.all(others.map(served))).toEqual([404, 404, 404, 404, 404]);
    const flood = await Promise.all(Array.from({ length: 100 }, () => served('foreign.test')));
    expect(new Set(flood)).toEqual(new Set([404, 429]));
    expect(await served('track.postmesh.test')).toBe(200);
  });

  it.each([undefined, '', 'Bearer', 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`])(
    'refuses the token %j',
    async (authorization) => {
      const headers = new Headers(authorization === undefined ? [] : [['authorization', authorization]]);
      const response = await fetch(`${base}/operator`, { headers });
      expect(response.status).toBe(401);
    },
  );

  describe('with the session of a browser', () => {
    const page = () => ({ origin: base, 'sec-fetch-site': 'same-origin' });
    const ask = (path: string, method: string, headers: Record<string, string>, body?: string) =>
      fetch(base + path, { method, headers, ...(body === undefined ? {} : { body }) });
    const signIn = async (token = ONCALLS) => {
      const answer = await ask('/operator/session', 'POST', page(), JSON.stringify({ token }));
      const cookie = answer.headers.get('set-cookie') ?? '';
      return { answer, cookie, sent: { cookie: cookie.split(';')[0] ?? '' } };
    };
    afterEach(() => void vi.useRealTimers());

    it('exchanges a token for a cookie that scripts, other sites and plain connections do not get', async () => {
      const { answer, cookie, sent } = await signIn();
      expect([answer.status, await answer.json()]).toEqual([201, { operator: 'oncall', idle_minutes: 30 }]);
      expect(cookie).toMatch(
        /^__Host-postmesh-operator=[A-Za-z0-9]{64}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
      );
      const session = await ask('/operator/session', 'GET', sent);
      expect([await session.json(), session.headers.get('cache-control')]).toEqual([
        { operator: 'oncall', idle_minutes: 30 },
        'no-store',
      ]);
      await ask('/operator/domains/zone', 'POST', { ...sent, ...page() }, '{"a":1}');
      expect(asked.at(-1)).toMatchObject({ body: { a: 1 }, operator: 'oncall' });
    });

    it.each(['wrong', '', 7, null])('has none for the token %j', async (token) => {
      const refused = await ask('/operator/session', 'POST', page(), JSON.stringify({ token }));
      expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    });

    it.each([
      ['of another site', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
      ['of the pages of members, on another port', { 'sec-fetch-site': 'same-site' }],
      ['without an Origin', { 'sec-fetch-site': 'same-origin' }],
      ['of a program', {}],
    ])('refuses a write %s', async (_, headers) => {
      const { sent } = await signIn();
      const before = asked.length;
      for (const path of ['/operator/domains/zone', '/operator/jobs/retry', '/operator/session'])
        expect((await ask(path, 'POST', { ...sent, ...headers }, '{}')).status).toBe(403);
      expect((await ask('/operator/session', 'DELETE', { ...sent, ...headers })).status).toBe(403);
      expect(asked).toHaveLength(before);
    });

    it('refuses a read of another site', async () => {
      const { sent } = await signIn();
      const read = await ask('/operator/doctor', 'GET', { ...sent, 'sec-fetch-site': 'cross-site' });
      expect(read.status).toBe(403);
    });

    it('ends with the sign-out, after half an hour without use, and after twelve hours', async () => {
      const status = async (sent: Record<string, string>) =>
        (await ask('/operator/session', 'GET', sent)).status;
      const { sent } = await signIn();
      const out = await ask('/operator/session', 'DELETE', { ...sent, ...page() });
      expect(out.headers.get('set-cookie')).toMatch(/=; Max-Age=0; Path=\/; Secure/);
      expect(await status(sent)).toBe(401);
      vi.useFakeTimers({ toFake: ['Date'] });
      const idle = (await signIn()).sent;
      vi.advanceTimersByTime(30 * 60_000);
      expect(await status(idle)).toBe(401);
      const used = (await signIn()).sent;
      for (let hour = 0; hour < 24; hour += 1) {
        expect(await status(used)).toBe(200);
        vi.advanceTimersByTime(30 * 60_000 - (hour === 23 ? 0 : 1));
      }
      expect(await status(used)).toBe(401);
    });

    it('says what this process runs and is set to', async () => {
      const { sent } = await signIn();
      const answer = await ask('/operator/installation', 'GET', sent);
      expect(await answer.json()).toEqual({
        versions: expect.objectContaining({ node: process.versions.node }),
        settings: { POSTMESH_HTTP_PORT: 18_080, POSTMESH_OPERATOR_TOKEN: '[hidden]' },
      });
    });
  });

  it('forwards to a service with query and body', async () => {
    const given = await call('/operator/domains/zone?x=1', { method: 'POST', body: '{"a":1}' });
    expect(given).toEqual([201, { zone: 1 }]);
    expect(asked.at(-1)).toEqual({
      method: 'POST',
      path: '/operator/zone?x=1',
      body: { a: 1 },
      operator: 'operator',
    });
    await call('/operator/domains/zone', {}, ONCALLS);
    expect(asked.at(-1)).toMatchObject({ method: 'GET', operator: 'oncall' });
    expect((await call('/operator/domains/zone', { method: 'PATCH' }))[0]).toBe(405);
  });

  it('audits changes in services without an audit of their own, and nothing else', async () => {
    noted.length = 0;
    await call('/operator/domains/zone');
    await call('/operator/domains/zone', { method: 'PUT', body: '{"a":1}' }, ONCALLS);
    await call('/operator/jobs/retry', { method: 'POST' });
    await call('/operator/accounts/accounts', { method: 'POST', body: '{"name":"x"}' }, ONCALLS);
    const note = { account_id: null, subject_id: null };
    expect(noted).toEqual([
      [
        '/internal/audit',
        {
          ...note,
          operator: 'oncall',
          action: 'PUT domains/zone',
          details: { path: 'domains/zone', body: { a: 1 } },
        },
        undefined,
      ],
      [`/internal/audit/${NOTE}/outcome`, { status: 201 }, undefined],
      [
        '/internal/audit',
        { ...note, operator: 'operator', action: 'POST jobs/retry', details: { path: 'jobs/retry' } },
        undefined,
      ],
      [`/internal/audit/${NOTE}/outcome`, { status: 200 }, undefined],
      ['/operator/accounts', { name: 'x' }, 'oncall'],
    ]);
  });

  it('resolves a path first, so that no action avoids its audit entry', async () => {
    noted.length = 0;
    // the path unresolved: fetch would resolve it before sending
    const status = await new Promise((resolve, reject) => {
      const path = '/operator//domains/../accounts/jobs/%2e%2e/retry/';
      const headers = { authorization: `Bearer ${TOKEN}` };
      const sent = request(base, { path, method: 'POST', headers }, (got) => resolve(got.statusCode));
      sent.on('error', reject).end();
    });
    expect(status).toBe(201);
    expect(noted[0]).toMatchObject(['/internal/audit', { action: 'POST accounts/retry' }, undefined]);
    expect(noted[1]).toEqual(['/operator/retry', undefined, 'operator']);
  });

  it('closes the connection of an upload that is refused before it was read', async () => {
    const path = '/operator/domains/imports';
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/csv' };
    const agent = new Agent({ keepAlive: true });
    const upload = request(base + path, { method: 'POST', headers, agent });
    const received = once(upload, 'response');
    upload.on('error', () => undefined);
    upload.write('email\n');
    const [response] = (await received) as [IncomingMessage];
    expect([response.statusCode, response.headers.connection]).toEqual([201, 'close']);
    const closed = once(upload.socket as Socket, 'close');
    response.resume();
    // the client continues to send, and no server reads
    const sending = setInterval(() => upload.write('x'.repeat(100_000)), 5);
    await closed;
    clearInterval(sending);
    agent.destroy();
  });

  it('refuses large bodies and unknown methods, and reveals nothing without a token', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(5_000_000) });
    expect(await call('/operator/domains/zone', { method: 'PUT', body: large })).toEqual([
      413,
      { message: 'request body is too large' },
    ]);
    expect(await call('/operator/domains/zone', { method: 'PUT', body: '['.repeat(1_000_000) })).toEqual([
      400,
      { message: 'request body is nested too deeply' },
    ]);
    expect((await call('/operator/doctor', { method: 'POST' }))[0]).toBe(404);
    expect((await call('/operator/nothing', {}, 'wrong'))[0]).toBe(401);
    const head = await fetch(`${base}/operator`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect([head.status, head.headers.get('content-type')]).toEqual([405, 'application/json']);
  });

  it('reads and replays the dead letters of a consumer in its service', async () => {
    const consumer = 'domains.account-changes';
    expect(await call(`/operator/dead-letters?consumer=${consumer}`)).toEqual([
      200,
      { dead_letters: [DEAD_LETTER] },
    ]);
    expect(asked.at(-1)).toMatchObject({ path: `/operator/dead-letters?limit=100&consumer=${consumer}` });
    const replay = { consumer, ids: ['1'] };
    const replayed = await call('/operator/dead-letters/replay', {
      method: 'POST',
      body: JSON.stringify(replay),
    });
    expect(replayed).toEqual([200, { replayed: 2, failed: 1 }]);
    expect(asked.at(-1)).toMatchObject({ body: replay, operator: 'operator' });
  });

  it('names the service whose dead letters are unavailable', async () => {
    expect(await call('/operator/dead-letters')).toEqual([
      503,
      { message: expect.stringContaining('cannot be asked for its dead letters') },
    ]);
  });

  it('validates the query', async () => {
    expect((await call('/operator/dead-letters?consumer=nobody'))[0]).toBe(400);
    expect((await call('/operator/dead-letters?limit=0'))[0]).toBe(400);
    expect((await call('/operator/dead-letters/replay', { method: 'POST', body: '{}' }))[0]).toBe(400);
    expect((await call('/operator/nothing'))[0]).toBe(404);
    expect((await call('/operator/dead-letters/replay', { method: 'POST', body: '{' }))[0]).toBe(400);
  });

  it('reports a problem', async () => {
    expect(await call('/operator/doctor')).toEqual([
      200,
      { ok: false, checks: [{ check: 'all is ready', ok: false, detail: 'no' }] },
    ]);
  });

  it('reports what waits in a stream of another release, whose number is not the point', async () => {
    lag.push(
      { group: 'messages', stream: 'deliveries', behind: 9 },
      { group: 'messages', stream: 'former', behind: 1 },
    );
    const [, report] = await call('/operator/doctor');
    expect((report as { checks: unknown[] }).checks.slice(1)).toEqual([
      { check: 'messages keeps up with deliveries', ok: true, detail: '9 events behind' },
      {
        check: 'messages has read former, a stream of another release',
        ok: false,
        detail: expect.stringMatching(/^1 events wait for a process of that release/),
      },
    ]);
    lag.length = 0;
  });

  it('reports the egress checks of a delivery worker', async () => {
    egress.push({ check: 'port 25 is open from 192.0.2.10', ok: false, detail: 'no connection' });
    const [, body] = await call('/operator/doctor');
    expect((body as { checks: unknown[] }).checks.at(-1)).toEqual(egress[0]);
    egress.length = 0;
  });

  it('reports whether the zone can be written, where the service writes it', async () => {
    const check = 'the zone of the service can be written';
    const zoneCheck = async () => {
      const [, body] = await call('/operator/doctor');
      return (body as { checks: { check: string }[] }).checks.find((one) => one.check === check);
    };
    expect(await zoneCheck()).toBeUndefined();
    Object.assign(zone, { driver: 'dynamic-update', waiting: 3 });
    expect(await zoneCheck()).toEqual({ check, ok: true, detail: '3 keys wait' });
    Object.assign(zone, { problem: 'REFUSED', next_at: '2026-01-05T08:00:00.000Z' });
    expect(await zoneCheck()).toEqual({
      check,
      ok: false,
      detail: 'REFUSED; next try 2026-01-05T08:00:00.000Z',
    });
  });
});
