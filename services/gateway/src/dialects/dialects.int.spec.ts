import { Readable } from 'node:stream';
import type { Settings } from '@postmesh/settings';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { takeReceived } from '../testing/echo-service.js';
import type { DoubleKey } from '../testing/accounts-double.js';
import { MODES, startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
const ALL: Partial<Settings> = { dialects: ['resend', 'postmark', 'sendgrid', 'mailgun'] };
const DOMAIN = 'shop.test';

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: any; // eslint-disable-line typescript/no-explicit-any
}

interface Sent {
  path: string;
  body?: string | Buffer;
  method?: 'POST' | 'PUT' | 'GET' | 'DELETE';
  headers?: Record<string, string>;
}

async function send(url: string, { path, body, method = 'POST', headers = {} }: Sent): Promise<Reply> {
  const response = await request(`${url}${path}`, { method, headers, body: body ?? null });
  const text = await response.body.text();
  const isJson = response.headers['content-type'] === 'application/json' && text !== '';
  return { status: response.statusCode, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** A smallest request of each dialect: what a client of it sends. */
const SENDS = {
  resend: ({ secret }: { secret: string }, more: object = {}): Sent => ({
    path: '/emails',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from: `a@${DOMAIN}`, to: 'b@mail.test', subject: 'Hi', text: 'Hi', ...more }),
  }),
  postmark: ({ secret }: { secret: string }, more: object = {}): Sent => ({
    path: '/email',
    headers: { 'x-postmark-server-token': secret, 'content-type': 'application/json' },
    body: JSON.stringify({ From: `a@${DOMAIN}`, To: 'b@mail.test', Subject: 'Hi', TextBody: 'Hi', ...more }),
  }),
  sendgrid: ({ secret }: { secret: string }, more: object = {}): Sent => ({
    path: '/v3/mail/send',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from: { email: `a@${DOMAIN}` },
      personalizations: [{ to: [{ email: 'b@mail.test' }] }],
      subject: 'Hi',
      content: [{ type: 'text/plain', value: 'Hi' }],
      ...more,
    }),
  }),
  mailgun: ({ secret }: { secret: string }, more: object = {}): Sent => ({
    path: `/v3/${DOMAIN}/messages`,
    headers: {
      authorization: `Basic ${Buffer.from(`api:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({
      from: `a@${DOMAIN}`,
      to: 'b@mail.test',
      subject: 'Hi',
      text: 'Hi',
      ...more,
    }).toString(),
  }),
} as const;
type Name = keyof typeof SENDS;
const NAMES = Object.keys(SENDS) as Name[];

/** The body of an error of each, with any text. */
const ERRORS: Readonly<Record<Name, (text: unknown) => unknown>> = {
  resend: (message) => ({ statusCode: expect.any(Number), name: expect.any(String), message }),
  postmark: (Message) => ({ ErrorCode: expect.any(Number), Message }),
  sendgrid: (message) => ({
    errors: [{ message, field: expect.toBeOneOf([null, expect.any(String)]), help: null }],
  }),
  mailgun: (message) => ({ message }),
};

describe('without POSTMESH_DIALECTS', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database.url, 'in process');
  });
  afterAll(() => gateway.stop());

  it.each(NAMES)('the paths of %s are 404', async (name) => {
    const { status, body } = await send(gateway.url, SENDS[name](gateway.accounts.addKey()));
    expect([status, body]).toEqual([404, { message: 'not found' }]);
  });
});

describe.each(MODES)('dialects, %s', (mode) => {
  let gateway: TestGateway;
  let key: DoubleKey;
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode, { ...ALL, bodyLimitBytes: 2_000_000 });
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    key = gateway.accounts.addKey();
    takeReceived();
  });

  it.each(NAMES)('%s: a send reaches the service once, with our id in the response', async (name) => {
    const { status, body, headers } = await send(gateway.url, SENDS[name](key));
    expect(status).toBe(name === 'sendgrid' ? 202 : 200);
    expect(String(headers['x-message-id'] ?? body.id ?? body.MessageID)).toMatch(/^<?[0-9a-f-]{36}/);
    expect(takeReceived()).toHaveLength(1);
  });

  it.each(NAMES)('%s: an error has its form, and nothing is sent', async (name) => {
    const made = SENDS[name](key, { odd_field: 'x' });
    const { status, body } = await send(gateway.url, made);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).toEqual(ERRORS[name](expect.stringContaining('odd_field is not a known field')));
    const broken = await send(gateway.url, { ...made, body: '{"from":', headers: { ...made.headers } });
    expect(broken.body).toEqual(ERRORS[name](expect.any(String)));
    expect(broken.status).toBeGreaterThanOrEqual(400);
    expect(takeReceived()).toEqual([]);
  });

  it.each(NAMES)('%s: errors of the checks before a body have its form, too', async (name) => {
    const made = SENDS[name](key);
    const wrongType = await send(gateway.url, {
      ...made,
      headers: { ...made.headers, 'content-type': 'text/csv' },
    });
    expect(wrongType.body).toEqual(ERRORS[name](expect.stringContaining('content type')));
    const large = await send(gateway.url, { ...made, body: Buffer.alloc(2_000_001, ' ') });
    expect([large.status, large.body]).toEqual([413, ERRORS[name]('request body is too large')]);
    const method = await send(gateway.url, { ...made, method: 'PUT' });
    expect([method.status, method.headers['allow']]).toEqual([405, 'POST']);
    expect(method.body).toEqual(ERRORS[name]('method not allowed'));
    const limited = gateway.accounts.addKey({ allowList: ['192.0.2.1'] });
    const elsewhere = await send(gateway.url, SENDS[name](limited));
    expect(elsewhere.body).toEqual(ERRORS[name]('Request rejected by the API key IP allow list'));
    expect(takeReceived()).toEqual([]);
  });

  it.each([
    ['resend', 403, { name: 'invalid_api_key' }],
    ['postmark', 401, { ErrorCode: 10 }],
    ['sendgrid', 401, { errors: [{ field: null }] }],
    ['mailgun', 401, 'Forbidden'],
  ] as const)('%s: an unknown key, or none, is refused', async (name, status, body) => {
    const unknown = await send(gateway.url, SENDS[name]({ secret: 'unknown' }));
    expect(unknown.status).toBe(status);
    if (typeof body === 'string') expect(unknown.body).toBe(body);
    else expect(unknown.body).toMatchObject(body);
    const none = await send(gateway.url, { ...SENDS[name](key), headers: {} });
    expect(none.status).toBe(401);
    // a key counts where its dialect has it alone
    const ours = await send(gateway.url, {
      ...SENDS[name](key),
      headers: { 'x-api-key': key.secret, 'content-type': 'application/json' },
    });
    expect(ours.status).toBe(401);
    expect(takeReceived()).toEqual([]);
  });

  it.each(NAMES)('%s: a failure of a service is a 500 without details', async (name) => {
    const field = { resend: 'text', postmark: 'TextBody', mailgun: 'text', sendgrid: 'subject' }[name];
    const { status, body } = await send(gateway.url, SENDS[name](key, { [field]: 'fails' }));
    expect([status, body]).toEqual([500, ERRORS[name]('internal server error')]);
  });

  it('a batch takes the rate of its account, and waits for it', async () => {
    const rateLimits = { general: { per_second: 50, burst: 2 }, statistics: null };
    const slow = gateway.accounts.addKey({ rateLimits });
    const { body: one, headers } = SENDS.postmark(slow);
    const batch = { path: '/email/batch', headers, body: `[${Array.from({ length: 6 }, () => one).join()}]` };
    const { status, body } = await send(gateway.url, batch);
    expect(status).toBe(200);
    expect(body.map(({ ErrorCode }: { ErrorCode: number }) => ErrorCode)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(takeReceived()).toHaveLength(6);
  });

  it('an error after the first call of a request says how many were accepted', async () => {
    const { headers } = SENDS.sendgrid(key);
    const personalizations = ['Hi', 'fails'].map((subject) => ({ to: [{ email: 'b@mail.test' }], subject }));
    const made = SENDS.sendgrid(key, { personalizations });
    const { status, body } = await send(gateway.url, { ...made, headers: headers! });
    expect(status).toBe(500);
    expect(body.errors[0].message).toContain('1 of 2 messages were accepted');
  });

  it.each([
    ['emails', '/emails/batch', 101, SENDS.resend],
    ['emails', '/email/batch', 501, SENDS.postmark],
  ] as const)('a batch of too many %s at %s is refused whole', async (_, path, count, make) => {
    const { body, headers } = make(key);
    const all = `[${Array.from({ length: count }, () => body).join()}]`;
    const { status } = await send(gateway.url, { path, headers: headers!, body: all });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(takeReceived()).toEqual([]);
  });

  it('a form with too many parts is refused before it is parsed', async () => {
    const { headers } = SENDS.mailgun(key);
    const flood = await send(gateway.url, {
      ...SENDS.mailgun(key),
      headers: headers!,
      body: 'a=1&'.repeat(5_001),
    });
    expect([flood.status, flood.body]).toEqual([400, { message: 'a form may have at most 5000 parts' }]);
    const multipart = await send(gateway.url, {
      ...SENDS.mailgun(key),
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
      body: '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'.repeat(5_001),
    });
    expect(multipart.body).toEqual({ message: 'a form may have at most 5000 parts' });
  });

  it('a body of more than 1 MiB is read whole, with and without a declared length', async () => {
    const text = 'x'.repeat(1_200_000);
    const made = SENDS.resend(key, { text });
    expect((await send(gateway.url, made)).status).toBe(200);
    const chunked = await request(`${gateway.url}/emails`, {
      method: 'POST',
      headers: made.headers!,
      body: Readable.from([Buffer.from(made.body!)]),
    });
    await chunked.body.dump();
    expect(chunked.statusCode).toBe(200);
    expect(takeReceived().map(({ length }) => length > text.length)).toEqual([true, true]);
  });

  it.each([
    ['sendgrid', 'on-behalf-of', 'other'],
    ['mailgun', 'x-mailgun-on-behalf-of', 'other'],
    ['postmark', 'content-encoding', 'gzip'],
  ] as const)('%s: the header %s is refused by name', async (name, header, value) => {
    const made = SENDS[name](key);
    const { body } = await send(gateway.url, { ...made, headers: { ...made.headers, [header]: value } });
    expect(body).toEqual(ERRORS[name](expect.stringContaining(`${header} is not supported: `)));
    expect(takeReceived()).toEqual([]);
  });

  it('a change of the configuration has an entry in the audit of the account', async () => {
    gateway.accounts.notes.clear();
    await send(gateway.url, {
      path: '/domains',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'new.test' }),
    });
    const notes = [...gateway.accounts.notes.values()].map(({ note }) => note);
    expect(notes).toMatchObject([{ key_id: key.keyId, account_id: key.accountId, action: 'domains.create' }]);
  });

  it('our own API is as it was', async () => {
    const { status, body } = await send(gateway.url, {
      path: `/v2/accounts/${key.accountId}/messages/conversation`,
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'text/csv' },
      body: '{}',
    });
    expect([status, body]).toEqual([415, { message: 'content type must be application/json' }]);
  });
});
