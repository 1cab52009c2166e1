import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DoubleKey } from '../testing/accounts-double.js';
import { takeReceived } from '../testing/echo-service.js';
import { MODES, startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();

// the double of the service has no templates, and answers 404
describe.each(MODES)('a change by an API key, %s', (mode) => {
  let gateway: TestGateway;
  let key: DoubleKey;
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode);
    key = gateway.accounts.addKey();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => gateway.accounts.notes.clear());

  const call = async (method: 'PUT' | 'POST', path: string) => {
    const response = await request(`${gateway.url}/v2/accounts/${key.accountId}${path}`, {
      method,
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: '{"x":1}',
    });
    return { status: response.statusCode, body: (await response.body.json()) as { message?: string } };
  };
  const noted = () => [...gateway.accounts.notes.values()];

  it('has an entry of the key, with its outcome', async () => {
    const id = newId();
    const { status } = await call('PUT', `/templates/${id}`);
    await vi.waitFor(() =>
      expect(noted()).toEqual([
        {
          note: {
            key_id: key.keyId,
            account_id: key.accountId,
            action: 'templates.update',
            subject_id: id,
          },
          status,
        },
      ]),
    );
  });

  it('has none where it is a message, and none beyond the bound: both are made all the same', async () => {
    expect((await call('POST', '/messages/conversation')).status).toBe(202);
    gateway.accounts.auditIsFull = true;
    const { status } = await call('PUT', `/templates/${newId()}`);
    gateway.accounts.auditIsFull = false;
    expect([status, noted()]).toEqual([404, []]);
  });

  it('is refused while the audit cannot be written, and a message is not', async () => {
    takeReceived();
    gateway.accounts.away = true;
    const refused = await call('PUT', `/templates/${newId()}`);
    const sent = await call('POST', '/messages/conversation');
    gateway.accounts.away = false;
    expect([refused.status, refused.body.message]).toEqual([
      503,
      'nothing was done: the audit cannot be written',
    ]);
    expect([sent.status, takeReceived().length]).toEqual([202, 1]);
  });
});
