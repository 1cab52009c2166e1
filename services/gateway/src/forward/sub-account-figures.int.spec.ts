import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { newId } from '@postmesh/contracts';
import type { FamilyUsage } from '@postmesh/messages-contract';
import { attachedCall, type InternalRequest, type LocalService } from '@postmesh/http';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DoubleKey } from '../testing/accounts-double.js';
import { MODES, startGateway, type TestGateway } from '../testing/start-gateway.js';

// proven again: services in other processes, the order of the calls, and a messages service that is away
const database = testDatabase();
const [CHILD, IDLE, STRANGER] = [newId(), newId(), newId()];
const AT = '2026-01-01T00:00:00.000Z';
const resource = (id: string) => ({ object: 'sub_account', id, last_activity_at: null, monthly_credit: 0 });

describe.each(MODES)('sub-accounts of an accounts service %s', (mode) => {
  let gateway: TestGateway;
  let parent: DoubleKey;
  let close = () => Promise.resolve();
  /** what reached the services, in order */
  let asked: string[] = [];
  let messagesAway = false;

  /** As the accounts service answers operations while the gateway fills in the figures. */
  const operate = (method: string, url: string, figures: unknown) => {
    const path = url.replace(/^.*\/sub-accounts/, '');
    asked.push(`${method} ${path} figures ${String(figures)}`);
    if (path === '/usage') {
      return { billing_period: { start: AT }, parent: { account_id: parent.accountId }, total: 0 };
    }
    if (method === 'GET' && path === '') return { object: 'list', data: [CHILD, IDLE].map(resource), end: 1 };
    return resource(path.split('/')[1] ?? '');
  };
  const answerInside = ({ method, path, body }: Pick<InternalRequest, 'method' | 'path' | 'body'>) => {
    asked.push(`${method} ${path}`);
    if (path.endsWith('/usage-report')) return { made_of: body };
    return path.endsWith(CHILD) ? { account_id: CHILD, parent_account_id: parent.accountId } : undefined;
  };
  const answer = (given: unknown) =>
    given === undefined ? { status: 404, body: { message: 'not found' } } : { status: 200, body: given };

  beforeAll(async () => {
    gateway = await startGateway(database.url, mode);
    parent = gateway.accounts.addKey({ scopes: ['*'] });
    const { directory } = gateway.context;
    const { accounts } = gateway;
    const keys = accounts.inject.bind(accounts);
    const isAboutKeys = (path: string) => !path.startsWith('/internal/accounts/');
    const inject: LocalService['inject'] = async (given) => {
      if (isAboutKeys(given.path)) return keys(given);
      const { status, body } = answer(answerInside(given));
      return { status, headers: {}, bytes: Buffer.from(JSON.stringify(body)) };
    };
    const messages: LocalService['inject'] = async ({ method, path, body }) => {
      asked.push(`${method} ${path.replace(parent.accountId, '{parent}')}`);
      if (messagesAway) return { status: 503, headers: {}, bytes: Buffer.from('{}') };
      const usage: FamilyUsage['usage'] = [{ account_id: CHILD, reception_count: 3 }];
      const ids = (body as { account_ids?: string[] } | undefined)?.account_ids ?? [];
      const known = ids.filter((id) => id === CHILD);
      const activity = known.map((id) => ({ account_id: id, last_accepted_at: AT }));
      return { status: 200, headers: {}, bytes: Buffer.from(JSON.stringify({ usage, activity })) };
    };
    directory.addLocal('messages', { route: () => undefined, inject: messages });
    directory.addLocal('domains', {
      route: (incoming, response) => {
        const child = attachedCall(incoming)?.principal.sub_account_id;
        response.end(JSON.stringify({ child }));
      },
      inject,
    });
    const serveHttp = async (incoming: IncomingMessage) => {
      const { method = '', url = '', headers } = incoming;
      if (url.startsWith('/v2/')) return answer(operate(method, url, headers['x-figures']));
      const body: unknown = JSON.parse((await text(incoming)) || 'null');
      const inside = { method: method as InternalRequest['method'], path: url, body, headers: {} };
      if (!isAboutKeys(url)) return answer(answerInside(inside));
      return { status: 200, body: JSON.parse((await keys(inside)).bytes.toString() || 'null') as unknown };
    };
    const serve = async (incoming: IncomingMessage) => {
      const { status, body } = await serveHttp(incoming);
      const bytes = Buffer.from(JSON.stringify(body));
      return { status, bytes: (await attachedCall(incoming)?.complete?.(bytes)) ?? bytes };
    };
    const route: RequestListener = (incoming, response) => {
      void serve(incoming).then(
        ({ status, bytes }) => response.writeHead(status, { 'content-type': 'application/json' }).end(bytes),
        () => response.writeHead(503).end('{}'),
      );
    };
    if (mode === 'in process') return directory.addLocal('accounts', { route, inject });
    const server = createServer(route).listen(0, '127.0.0.1');
    await once(server, 'listening');
    directory.removeLocal('accounts');
    directory.setUrl('accounts', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    close = async () => {
      server.closeAllConnections();
      server.close();
    };
  });
  afterAll(async () => {
    await gateway.stop();
    await close();
  });
  beforeEach(() => {
    asked = [];
    messagesAway = false;
  });

  async function call(method: 'GET' | 'POST', rest: string) {
    const response = await request(`${gateway.url}/v2/accounts/${parent.accountId}/sub-accounts${rest}`, {
      method,
      headers: { authorization: `Bearer ${parent.secret}` },
    });
    const bytes = await response.body.text();
    return { status: response.statusCode, text: bytes, body: JSON.parse(bytes) as Record<string, unknown> };
  }

  it('§10.2 a page gets the activity of its sub-accounts with one question, and its fields keep their order', async () => {
    const { status, text } = await call('GET', '');
    const data = [{ ...resource(CHILD), last_activity_at: AT }, resource(IDLE)];
    expect([status, text]).toEqual([200, JSON.stringify({ object: 'list', data, end: 1 })]);
    expect(asked).toEqual(['GET  figures later', 'POST /internal/accounts/activity']);
  });

  it('§10.3 a sub-account is changed after the question, and not at all while messages is away', async () => {
    const { status, body } = await call('POST', `/${CHILD}/unsuspend`);
    expect([status, body]).toEqual([200, { ...resource(CHILD), last_activity_at: AT }]);
    expect(asked).toEqual(['POST /internal/accounts/activity', `POST /${CHILD}/unsuspend figures later`]);
    messagesAway = true;
    asked = [];
    expect((await call('POST', `/${CHILD}/unsuspend`)).status).toBe(503);
    expect((await call('GET', '')).status).toBe(503);
    expect(asked).not.toContain(`POST /${CHILD}/unsuspend figures later`);
  });

  it('§10.5 usage is counted first, then the accounts service makes the report of it', async () => {
    const { status, body } = await call('GET', '/usage');
    expect([status, body]).toEqual([200, { made_of: { period: '2026-01', used: { [CHILD]: 3 } } }]);
    expect(asked).toEqual([
      'GET /usage figures later',
      'GET /internal/accounts/{parent}/usage?period=2026-01',
      `POST /internal/accounts/${parent.accountId}/usage-report`,
    ]);
  });

  it('§10.3 the domains service learns whether the path of an unpause names a child', async () => {
    const unpause = async (id: string) => (await call('POST', `/${id}/domains/x.test/unpause`)).body;
    expect(await unpause(CHILD)).toEqual({ child: CHILD });
    expect(await unpause(STRANGER)).toEqual({ child: null });
    expect(await unpause('nonsense')).toEqual({});
  });
});
