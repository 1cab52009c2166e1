import { SmtpDialogue, testDatabase } from '@postmesh/testing';
import { newId, SESSION_COOKIE } from '@postmesh/contracts';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DoubleCredential, DoubleKey } from '../testing/accounts-double.js';
import { mail } from '../testing/echo-service.js';
import { MODES, startGateway, type TestGateway } from '../testing/start-gateway.js';
import { RefusedRequests } from './refused-requests.js';

const database = testDatabase();
let gateway: TestGateway;
let key: DoubleKey;
const begin = (mode: (typeof MODES)[number]) => async () => {
  gateway = await startGateway(database.url, mode);
};
const end = () => gateway.stop();
const flush = () => gateway.service.get(RefusedRequests).flush();

async function ask(
  path: string,
  { headers = {}, method = 'GET', body, secret = key.secret }: AskOptions = {},
): Promise<{ status: number; id: string }> {
  const response = await request(`${gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, 'user-agent': 'test/1', ...headers },
    body: body ?? null,
  });
  await response.body.dump();
  return { status: response.statusCode, id: String(response.headers['x-request-id']) };
}
interface AskOptions {
  headers?: Record<string, string>;
  method?: 'GET' | 'POST';
  body?: string;
  secret?: string;
}
const messages = (id: string, of = key) => `/v2/accounts/${of.accountId}/messages/${id}`;

/** The reports of an account, once they have so many requests. A response arrives before the gateway has seen its end. */
async function reported(count: number, accountId = key.accountId) {
  return vi.waitFor(async () => {
    await flush();
    const found = gateway.accounts.refused.get(accountId) ?? { requests: [], left_out: 0 };
    expect(found.requests.length + found.left_out).toBe(count);
    return found;
  });
}
/** Requests that the gateway has only counted so far. */
const counted = async (): Promise<number> =>
  Number(
    /^postmesh_request_log_left_out_total (\d+)$/m.exec(await gateway.context.metrics.render())?.[1] ?? 0,
  );

describe.each(MODES)('a request with a 4xx or 5xx, %s', (mode) => {
  beforeAll(begin(mode));
  afterAll(end);
  beforeEach(() => void (key = gateway.accounts.addKey()));

  it('is reported with its facts, and without its body, its headers and the values of its query', async () => {
    const path = `${messages('refused')}?limit=7&q=ann@mail.test`;
    const { status, id } = await ask(path, { headers: { cookie: 'a=secret', 'idempotency-key': 'k-1' } });
    expect(status).toBe(409);
    const { requests } = await reported(1);
    expect(requests).toEqual([
      {
        id,
        at: expect.any(String),
        protocol: 'http',
        key_id: key.keyId,
        method: 'GET',
        operation: 'messages.get',
        path: `${messages('refused')}?limit=…&q=…`,
        status: 409,
        message: 'not now',
        request_id: id,
        client_ip: '127.0.0.1',
        user_agent: 'test/1',
        duration_ms: expect.any(Number),
      },
    ]);
  });

  it('is reported whether a service or the gateway has answered it, and a success is not', async () => {
    const limited = gateway.accounts.addKey({ accountId: key.accountId, allowList: ['192.0.2.0/24'] });
    const send = `/v2/accounts/${key.accountId}/messages/conversation`;
    expect((await ask(messages('some'))).status).toBe(200);
    await ask(messages('broken'));
    await ask(messages('some'), { secret: limited.secret });
    await ask(send, { method: 'POST', body: '{"a":"body"}', headers: { 'content-type': 'text/plain' } });
    await ask(messages('some', gateway.accounts.addKey()));
    await ask('/v2/nonsense');
    const { requests } = await reported(5);
    const facts = requests.map(({ status, operation, key_id, message }) => [
      status,
      operation,
      key_id,
      message,
    ]);
    expect(facts.toSorted()).toEqual([
      [401, 'messages.get', key.keyId, 'invalid API key'],
      [403, 'messages.get', limited.keyId, 'Request rejected by the API key IP allow list'],
      [404, null, key.keyId, 'not found'],
      [415, 'messages.send-conversation', key.keyId, 'content type must be application/json'],
      [500, 'messages.get', key.keyId, 'internal server error'],
    ]);
    expect(JSON.stringify(requests)).not.toContain('body"');
  });

  it('never has the secret, wherever its client repeats it', async () => {
    for (let at = 0; at < 2; at += 1) await ask(messages('some'));
    await ask(`/v2/${key.secret}?${key.secret}=1`, { headers: { 'user-agent': `x ${key.secret}` } });
    const { requests } = await reported(1);
    expect(requests).toMatchObject([{ path: '/v2/…?…', user_agent: 'x …' }]);
  });

  it('is of no account without a known key, and of no log in the console', async () => {
    const session = gateway.accounts.addSession();
    const page = { 'sec-fetch-site': 'same-origin', cookie: `${SESSION_COOKIE}=${session.secret}` };
    expect((await ask(messages('some'), { secret: `pm-sk-${newId()}` })).status).toBe(401);
    const refused = await ask(`/console/api${messages('refused', session)}`, { headers: page });
    expect(refused.status).toBe(409);
    await ask(messages('refused'));
    const before = new Set(gateway.accounts.refused.keys());
    await reported(1);
    const added = [...gateway.accounts.refused.keys()].filter((id) => !before.has(id));
    expect(added).toEqual([key.accountId]);
  });
});

describe('refused requests', () => {
  beforeAll(begin('in process'));
  afterAll(end);
  beforeEach(() => void (key = gateway.accounts.addKey()));
  afterEach(() => void Object.assign(gateway.accounts, { away: false, reports: 0, reportStatus: 200 }));

  it('beyond the bound of an account are counted, those of others are not', async () => {
    const other = gateway.accounts.addKey();
    const before = await counted();
    for (let at = 0; at < 60; at += 1) await ask(messages('refused'));
    await ask(messages('refused', other), { secret: other.secret });
    await vi.waitFor(async () => expect(await counted()).toBe(before + 10));
    const { requests, left_out } = await reported(60);
    expect([requests.length, left_out]).toEqual([50, 10]);
    expect(await reported(1, other.accountId)).toMatchObject({ requests: [{}], left_out: 0 });
  });

  it.each([
    [503, 'reported again', 1],
    [404, 'lost, as accounts of the release before has no log', 0],
    [400, 'lost', 0],
  ])('that get a %i are %s', async (status, _, again) => {
    gateway.accounts.reportStatus = status;
    await ask(messages('refused'));
    await vi.waitFor(async () => {
      await flush();
      expect(gateway.accounts.reports).toBeGreaterThan(0);
    });
    gateway.accounts.reportStatus = 200;
    await ask(messages('broken'));
    expect((await reported(1 + again)).requests.map((one) => one.status)).toEqual(again ? [409, 500] : [500]);
  });

  it('wait while accounts is away, and no response does', async () => {
    await ask(messages('some'));
    const before = await counted();
    gateway.accounts.away = true;
    for (let at = 0; at < 30; at += 1) expect((await ask(messages('refused'))).status).toBe(409);
    await flush();
    for (let at = 0; at < 30; at += 1) expect((await ask(messages('refused'))).status).toBe(409);
    await vi.waitFor(async () => expect(await counted()).toBe(before + 10));
    gateway.accounts.away = false;
    const { requests, left_out } = await reported(60);
    expect([requests.length, left_out]).toEqual([50, 10]);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(50);
  });
});

it('a refused request is reported within seconds', async () => {
  gateway = await startGateway(database.url, 'in process');
  try {
    key = gateway.accounts.addKey();
    await ask(messages('refused'));
    await vi.waitFor(() => expect(gateway.accounts.refused.has(key.accountId)).toBe(true), 20_000);
  } finally {
    await gateway.stop();
  }
});

it('refused requests are reported at the stop of a gateway, and none with POSTMESH_REQUEST_LOG_DAYS=0', async () => {
  for (const [requestLogDays, expected] of [
    [7, 1],
    [0, 0],
  ] as const) {
    gateway = await startGateway(database.url, 'in process', { requestLogDays });
    key = gateway.accounts.addKey();
    await ask(messages('refused'));
    await gateway.stop();
    expect(gateway.accounts.refused.size).toBe(expected);
  }
});

describe('a command of a logged-in SMTP session', () => {
  beforeAll(begin('in process'));
  afterAll(end);
  beforeEach(() => void Object.assign(mail, { senderReply: undefined, reply: undefined }));
  const port = () => gateway.smtp.find(({ role }) => role === 'submission')?.port ?? 0;
  const login = ({ username, password }: Pick<DoubleCredential, 'username' | 'password'>) =>
    `AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString('base64')}`;

  it('is reported when it is refused, with its verb and its reply', async () => {
    const credential = gateway.accounts.addCredential();
    const dialogue = await SmtpDialogue.secure(port());
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^530 /);
    expect(await dialogue.say(login({ ...credential, password: 'wrong' }))).toMatch(/^535 /);
    expect(await dialogue.say(login(credential))).toMatch(/^235 /);
    mail.senderReply = { code: 550, enhanced: '5.7.1', text: 'Not your domain' };
    expect(await dialogue.say('MAIL FROM:<a@other.test>')).toBe('550 5.7.1 Not your domain');
    mail.senderReply = undefined;
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<nonsense>')).toMatch(/^501 /);
    expect(await dialogue.say('RCPT TO:<ann@mail.test>')).toMatch(/^250 /);
    mail.reply = { code: 451, enhanced: '4.3.0', text: 'Later' };
    expect(await dialogue.data('From: a@shop.test\r\n\r\nHello')).toMatch(/^451 /);
    expect(await dialogue.say(credential.password)).toMatch(/^500 /);
    dialogue.end();
    const { requests } = await reported(4, credential.accountId);
    expect(requests.map(({ method, status, message }) => [method, status, message])).toEqual([
      ['MAIL', 550, '5.7.1 Not your domain'],
      ['RCPT', 501, expect.stringContaining('Bad recipient')],
      ['DATA', 451, '4.3.0 Later'],
      ['', 500, expect.any(String)],
    ]);
    expect(requests[0]).toMatchObject({
      protocol: 'smtp',
      key_id: credential.credentialId,
      operation: null,
      path: null,
      user_agent: 'client.test',
      client_ip: '127.0.0.1',
      duration_ms: null,
    });
    expect(JSON.stringify(requests)).not.toContain(credential.password);
  });
});
