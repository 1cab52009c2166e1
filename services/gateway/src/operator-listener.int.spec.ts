import { freePort, testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from './testing/start-gateway.js';
import { openOperatorListener } from './operator-listener.js';

const TOKEN = 'pm-op-a-token-of-an-operator';

describe('the operator interface of a gateway', () => {
  const database = testDatabase();
  let gateway: TestGateway;
  let url: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    gateway = await startGateway(database.url, 'over HTTP');
    const operatorPort = await freePort();
    url = `http://127.0.0.1:${operatorPort}`;
    close = await openOperatorListener(gateway.service, withSettings({ operatorPort, operatorToken: TOKEN }));
  });
  afterAll(async () => {
    await close?.();
    await gateway?.stop();
  });

  const withSettings = (settings: object) => ({
    ...gateway.context,
    settings: { ...gateway.context.settings, ...settings },
  });
  const ask = async (path: string, token = TOKEN) => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('shows of every service whether it can be reached, not only of its own process', async () => {
    const { body } = await ask('/operator/doctor');
    expect(body['ok']).toBe(false);
    expect(body['checks']).toContainEqual({ check: 'gateway is ready', ok: true, detail: 'yes' });
    expect(body['checks']).toContainEqual({ check: 'messages is ready', ok: true, detail: 'yes' });
    expect(body['checks']).toContainEqual({ check: 'webhooks is ready', ok: false, detail: 'no' });
  });

  it('does not report zero failed jobs while a service cannot be reached', async () => {
    expect(await ask('/operator/jobs/failed')).toEqual({
      status: 503,
      body: { message: expect.stringMatching(/^the [a-z-]+ service cannot be asked for its jobs$/) },
    });
  });

  it('rejects an action that cannot be audited', async () => {
    gateway.accounts.away = true;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const refused = await fetch(`${url}/operator/jobs/retry`, { method: 'POST', headers });
    gateway.accounts.away = false;
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { message: 'nothing was done: the audit cannot be written' },
    ]);
  });

  it('knows each operator by a token', async () => {
    const operatorPort = await freePort();
    const operatorTokens = [{ name: 'oncall', token: 'a-token-of-oncalls-own' }];
    const settings = { operatorPort, operatorToken: undefined, operatorTokens };
    const closeOther = await openOperatorListener(gateway.service, withSettings(settings));
    const answered = async (token: string) =>
      (
        await fetch(`http://127.0.0.1:${operatorPort}/operator`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    expect([await answered('a-token-of-oncalls-own'), await answered(TOKEN)]).toEqual([200, 401]);
    await closeOther();
  });

  it('is closed to requests without the token, and without a token in the settings', async () => {
    expect((await ask('/operator/doctor', 'wrong')).status).toBe(401);
    const operatorPort = await freePort();
    await openOperatorListener(gateway.service, withSettings({ operatorPort, operatorToken: undefined }));
    await expect(fetch(`http://127.0.0.1:${operatorPort}/health/live`)).rejects.toThrow();
  });
});
