import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InternalClient, ServiceDirectory, ServiceTokens } from '@postmesh/internal-http';
import type { EventBus } from '@postmesh/event-bus';
import { createLogger } from '@postmesh/observability';
import { addOperatorRoutes, Operators, OperatorServer } from './index.js';

const TOKEN = 'pm-op-a-token-of-an-operator';
const ONCALLS = 'pm-op-a-token-of-oncall-alone';
const NOTE = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const logger = createLogger({ logLevel: 'silent' }, 'test');

describe('the operator interface', () => {
  let ready = false;
  let base = '';
  const asked: { method: string; path: string; body: unknown; operator: unknown }[] = [];
  const noted: unknown[] = [];
  const server = new OperatorServer({
    host: '127.0.0.1',
    port: 0,
    operators: Operators.fromSettings({
      operatorToken: TOKEN,
      operatorTokens: [{ name: 'oncall', token: ONCALLS }],
    }),
    logger,
    readiness: async () => ({ gateway: ready }),
    metrics: async () => '# HELP postmesh_x x\n',
  });

  beforeAll(async () => {
    const directory = new ServiceDirectory({});
    directory.addLocal('domains', {
      route: () => undefined,
      inject: async ({ method, path, body, headers }) => {
        asked.push({ method, path, body, operator: headers['x-operator'] });
        return { status: 201, headers: {}, bytes: Buffer.from('{"zone":1}') };
      },
    });
    directory.addLocal('accounts', {
      route: () => undefined,
      inject: async ({ path, body, headers }) => {
        noted.push([path, body, headers['x-operator']]);
        return { status: 201, headers: {}, bytes: Buffer.from(JSON.stringify({ id: NOTE })) };
      },
    });
    const replays: unknown[] = [];
    addOperatorRoutes(server, {
      client: new InternalClient(directory, new ServiceTokens([Buffer.alloc(32)], 'gateway')),
      // what this interface asks of bus and jobs, and no more
      bus: {
        readDead: async (query: unknown) => [query],
        replayDead: async (query: unknown) => replays.push(query),
        lag: async () => [],
      } as unknown as EventBus,
      jobs: {
        counts: async () => ({}),
        failed: async () => [],
        retryFailed: async () => 0,
      },
      logger,
      examine: async () => [{ check: 'all', ok: false, detail: 'no' }],
    });
    base = `http://127.0.0.1:${await server.listen()}`;
  });
  afterAll(() => server.close());

  const call = async (path: string, init: RequestInit = {}, token = TOKEN) => {
    const response = await fetch(base + path, { ...init, headers: { authorization: `Bearer ${token}` } });
    return [response.status, await response.json()] as const;
  };

  it('tells health and metrics without a token', async () => {
    expect((await fetch(`${base}/health/live`)).status).toBe(200);
    expect((await fetch(`${base}/health/ready`)).status).toBe(503);
    ready = true;
    expect((await fetch(`${base}/health/ready`)).status).toBe(200);
    expect(await (await fetch(`${base}/metrics`)).text()).toContain('postmesh_x');
  });

  it.each([undefined, '', 'Bearer', 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`])(
    'refuses the token %j',
    async (authorization) => {
      const headers = new Headers(authorization === undefined ? [] : [['authorization', authorization]]);
      const response = await fetch(`${base}/operator`, { headers });
      expect(response.status).toBe(401);
    },
  );

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

  it('notes who changes what in services without an audit, and nothing else', async () => {
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

  it('checks what it is asked', async () => {
    expect(await call('/operator/dead-letters')).toEqual([400, { message: 'stream and group are required' }]);
    expect((await call('/operator/dead-letters?stream=messages&group=x&limit=0'))[0]).toBe(400);
    expect(await call('/operator/dead-letters?stream=messages&group=x')).toEqual([
      200,
      { dead_letters: [{ stream: 'messages', group: 'x', limit: 100 }] },
    ]);
    expect((await call('/operator/dead-letters/replay', { method: 'POST', body: '{}' }))[0]).toBe(400);
    const replay = { stream: 'messages', group: 'x' };
    expect(
      (await call('/operator/dead-letters/replay', { method: 'POST', body: JSON.stringify(replay) }))[0],
    ).toBe(200);
    expect((await call('/operator/nothing'))[0]).toBe(404);
    expect((await call('/operator/dead-letters/replay', { method: 'POST', body: '{' }))[0]).toBe(400);
  });

  it('says that something is wrong', async () => {
    expect(await call('/operator/doctor')).toEqual([
      200,
      { ok: false, checks: [{ check: 'all', ok: false, detail: 'no' }] },
    ]);
  });
});
