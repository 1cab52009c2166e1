import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';

interface Result {
  id: string | null;
  status: string;
  recipient: { email: string; name: string };
}

const MESSAGE = {
  from: { email: 'Ann@Shop.test', name: 'Ann' },
  to: [{ email: 'bob@mail.test', name: 'Bob' }],
  subject: 'Hello',
  text_content: 'Good day',
};

describe('POST …/messages/conversation', () => {
  const database = testDatabase();
  let messages: TestService;

  beforeAll(async () => {
    messages = await startTestService(MESSAGES_SERVICE, {
      databaseUrl: database.url,
      neighbours: {
        domains: ({ path }) => {
          const name = decodeURIComponent(path.split('/').at(-1) ?? '');
          if (name === 'shop.test') return { status: 200, body: DOMAIN };
          if (name === 'unchecked.test')
            return { status: 200, body: { ...DOMAIN, domain: name, dns_valid: false } };
          if (name === 'paused.test') return { status: 200, body: { ...DOMAIN, domain: name, paused: true } };
          return { status: 404, body: { message: 'domain not found' } };
        },
      },
    });
  });
  afterAll(() => messages?.stop());

  const path = () => `/v2/accounts/${messages.accountId}/messages/conversation`;
  const send = (body: unknown, more: Parameters<TestService['call']>[2] = {}) =>
    messages.call('POST', path(), { body, ...more });
  const query = (sql: string, parameters: unknown[] = []) =>
    messages.service.get(DataSource).query(sql, parameters) as Promise<Record<string, number | string>[]>;

  it('answers 202 with one element per recipient that share the Message-ID, after everything is stored', async () => {
    const response = await send({
      ...MESSAGE,
      cc: [{ email: 'c@mail.test' }],
      bcc: [{ email: 'd@mail.test' }],
    });
    expect(response.status).toBe(202);
    expect(response.body.object).toBe('list');
    const ids = new Set(response.body.data.map((one: { id: string }) => one.id));
    expect(ids.size).toBe(1);
    const [id] = [...ids] as string[];
    expect(id).toMatch(/^<[0-9a-f-]{36}@shop\.test>$/);
    expect(response.body.data.map((one: Result) => one.recipient)).toEqual([
      { email: 'bob@mail.test', name: 'Bob' },
      { email: 'c@mail.test', name: '' },
      { email: 'd@mail.test', name: '' },
    ]);
    expect(response.body.data[0]).toMatchObject({ object: 'message', status: 'queued' });
    expect(response.body.data[0]).not.toHaveProperty('error');
    expect(response.body.data[0]).not.toHaveProperty('schedule');
    const rows = await query(
      'select m.recipient, m.status from messages m where send_request_id = $1 order by id',
      [id?.slice(1, 37)],
    );
    expect(rows.map((row) => row['recipient'])).toEqual(['bob@mail.test', 'c@mail.test', 'd@mail.test']);
  });

  it('stores an address once, the first occurrence wins', async () => {
    const response = await send({ ...MESSAGE, cc: [{ email: 'BOB@mail.test', name: 'Other' }] });
    expect(response.body.data).toHaveLength(1);
    expect(response.body.data[0].recipient.name).toBe('Bob');
  });

  it('shows the message afterwards, with its message, as Received', async () => {
    const sent = await send({ ...MESSAGE, subject: 'Grüße', bcc: [{ email: 'secret@mail.test' }] });
    const id = sent.body.data[0].id as string;
    const response = await messages.call(
      'GET',
      `/v2/accounts/${messages.accountId}/messages/${encodeURIComponent(id)}`,
    );
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      object: 'message',
      id: id.slice(1, 37),
      message_id: id,
      status: 'Received',
      direction: 'outbound',
      subject: 'Grüße',
      sender: 'ann@shop.test',
      recipient: 'bob@mail.test',
      num_attempts: 0,
      sent_at: null,
      template_id: null,
      delivery_attempts: [],
    });
    expect(response.body.content).toContain('Message-ID: ' + id);
    expect(response.body.content).not.toContain('secret@mail.test');
    expect(response.body.content_parsed.parts[0]).toMatchObject({ content_type: 'text/plain' });
  });

  it('counts the characters of a subject, not their units', async () => {
    expect((await send({ ...MESSAGE, subject: '😀'.repeat(998) })).status).toBe(202);
    expect((await send({ ...MESSAGE, subject: '😀'.repeat(999) })).body).toEqual({
      message: 'subject must have at most 998 characters',
    });
  });

  it.each([
    ['{', 400, 'invalid request body'],
    ['[]', 400, 'invalid request body'],
    ['', 400, 'invalid request body'],
    ['{"__proto__":{"a":1}}', 400, 'unknown field: __proto__'],
  ])('refuses the body %j', async (text, status, message) => {
    const response = await messages.call('POST', path(), { text });
    expect([response.status, response.body]).toEqual([status, { message }]);
  });

  it.each([
    ['an unknown field', { template: 1 }, 400, 'unknown field: template'],
    ['a wrong type', { subject: 5 }, 400, 'subject must be a string'],
    ['no from', { from: undefined }, 400, 'from is required'],
    ['no recipient', { to: [] }, 400, 'to must have at least 1 items'],
    ['an empty cc', { cc: [] }, 400, 'cc must have at least 1 items'],
    ['no content', { text_content: '' }, 400, 'Either text_content or html_content is required'],
    [
      'only AMP',
      { text_content: null, amp_content: '<p>' },
      400,
      'Either text_content or html_content is required',
    ],
    ['a blank subject', { subject: '  ' }, 400, 'subject must not be empty'],
    ['an endless subject', { subject: 'x'.repeat(999) }, 400, 'subject must have at most 998 characters'],
    [
      'a line break in the subject',
      { subject: 'a\r\nBcc: x@y.test' },
      400,
      /^subject must not contain a line break/,
    ],
    [
      'a line break in a name',
      { to: [{ email: 'b@mail.test', name: 'B\r\nX: 1' }] },
      400,
      /^to\[0\]\.name must not contain/,
    ],
    [
      'a line break in an address',
      { to: [{ email: 'b@mail.test\r\nRCPT TO:<x@y.test>' }] },
      400,
      /^to\[0\]\.email must not contain/,
    ],
    ['a bad address', { to: [{ email: 'b mail.test' }] }, 400, 'to[0].email is not a valid email address'],
    ['a line break in a header', { headers: { 'X-A': 'a\r\nb' } }, 400, /X-A/],
    ['a bad header name', { headers: { 'X A': 'b' } }, 400, "invalid header name 'X A'"],
    [
      'a cc header next to cc',
      { cc: [{ email: 'c@mail.test' }], headers: { Cc: 'x@y.test' } },
      400,
      /cc header/,
    ],
    [
      'a domain without an owner',
      { from: { email: 'a@other.test' } },
      400,
      "domain 'other.test' not found in this account",
    ],
    [
      'a domain without valid DNS',
      { from: { email: 'a@unchecked.test' } },
      400,
      "domain 'unchecked.test' does not have valid DNS records",
    ],
    [
      'a paused domain',
      { from: { email: 'a@paused.test' } },
      403,
      /^Sending from domain 'paused\.test' is paused/,
    ],
    [
      'a time in the past',
      { schedule: { first_attempt: '2020-01-01T00:00:00Z' } },
      400,
      'schedule.first_attempt must be in the future and within 7 days',
    ],
    [
      'no time',
      { schedule: { expires: 'soon' } },
      400,
      'invalid schedule.expires, provide a valid RFC3339 time string',
    ],
    ['too long a retention', { retention: { metadata: 31 } }, 400, 'retention.metadata must be from 1 to 30'],
    [
      'too many tags',
      { tags: Array.from({ length: 11 }, (_, at) => `t${at}`) },
      400,
      'tags must have at most 10 items',
    ],
    [
      'bad base64',
      { attachments: [{ data: '%%%', base64: true, content_type: 'a/b', file_name: 'f' }] },
      400,
      'attachments[0].data is not valid base64',
    ],
    [
      'a line break in a file name',
      { attachments: [{ data: 'a', content_type: 'a/b', file_name: 'f\r\nX: 1' }] },
      400,
      /file_name/,
    ],
  ])('refuses %s', async (_what, change, status, message) => {
    const response = await send({ ...MESSAGE, ...change });
    expect(response.status).toBe(status);
    expect(Object.keys(response.body)).toEqual(['message']);
    if (typeof message === 'string') expect(response.body.message).toBe(message);
    else expect(response.body.message).toMatch(message);
  });

  it('refuses more than 50 recipients in all', async () => {
    const many = Array.from({ length: 26 }, (_, at) => ({ email: `r${at}@mail.test` }));
    const response = await send({ ...MESSAGE, to: many, bcc: many });
    expect(response.body.message).toBe('to, cc and bcc together must have at most 50 recipients');
  });

  it('refuses a message beyond 20 MiB', async () => {
    const data = Buffer.alloc(16_000_000, 1).toString('base64');
    const response = await send({
      ...MESSAGE,
      attachments: [{ data, base64: true, content_type: 'application/octet-stream', file_name: 'big.bin' }],
    });
    expect([response.status, response.body.message]).toEqual([400, 'message size exceeds 20 MiB']);
  });

  it('refuses a body of more than 30 MB and one that is no JSON by its type', async () => {
    const large = await messages.call('POST', path(), { text: `{"subject":"${'a'.repeat(30_000_001)}"}` });
    expect([large.status, large.body]).toEqual([413, { message: 'request body is too large' }]);
    const typed = await messages.call('POST', path(), {
      text: 'a=1',
      headers: { 'content-type': 'text/csv' },
    });
    expect([typed.status, typed.body]).toEqual([415, { message: 'content type must be application/json' }]);
  });

  it('refuses a key without the scope for the domain', async () => {
    const response = await send(MESSAGE, { scopes: ['messages:send:{other.test}'] });
    expect([response.status, response.body.message]).toEqual([
      403,
      "this api key is not authorized to send messages from the domain 'shop.test'",
    ]);
    expect((await send(MESSAGE, { scopes: ['messages:send:{shop.test}'] })).status).toBe(202);
  });

  it('lets a paused domain send to the sandbox, and a suspended account nothing', async () => {
    expect((await send({ ...MESSAGE, from: { email: 'a@paused.test' }, sandbox: true })).status).toBe(202);
    const suspended = await send({ ...MESSAGE, sandbox: true }, { account: { status: 'suspended' } });
    expect([suspended.status, suspended.body.message]).toEqual([403, 'account is suspended']);
  });

  it('writes IDN domains as A-labels and takes quoted local parts', async () => {
    const response = await send({
      ...MESSAGE,
      to: [{ email: 'a@bücher.test' }, { email: '"a.b c"@mail.test' }],
    });
    expect(response.status).toBe(400);
    const good = await send({ ...MESSAGE, to: [{ email: 'a@bücher.test' }, { email: '"a..b"@mail.test' }] });
    expect(good.body.data.map((one: Result) => one.recipient.email)).toEqual([
      'a@xn--bcher-kva.test',
      '"a..b"@mail.test',
    ]);
  });

  it('answers `scheduled` and echoes the schedule', async () => {
    const first_attempt = new Date(Date.now() + 3_600_000).toISOString();
    const response = await send({ ...MESSAGE, schedule: { first_attempt } });
    expect(response.body.data[0]).toMatchObject({ status: 'scheduled', schedule: { first_attempt } });
    const id = response.body.data[0].id as string;
    const read = await messages.call('GET', `/v2/accounts/${messages.accountId}/messages/${id.slice(1, 37)}`);
    expect(read.body.status).toBe('Scheduled');
  });

  it('runs a request with an idempotency key once and replays its answer byte for byte', async () => {
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all([send(MESSAGE, { headers }), send(MESSAGE, { headers })]);
    const first = answers.find(({ status }) => status === 202);
    const replay = await send(MESSAGE, { headers });
    expect(replay.status).toBe(202);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(first?.headers['idempotent-replayed']).toBeUndefined();
    expect(replay.text).toBe(first?.text);
    const other = await send({ ...MESSAGE, subject: 'Other' }, { headers });
    expect(other.status).toBe(422);
    expect(other.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('stores many requests that arrive together', async () => {
    const before = await query('select count(*)::int as count from send_requests');
    const answers = await Promise.all(Array.from({ length: 300 }, () => send(MESSAGE)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const after = await query('select count(*)::int as count from send_requests');
    expect(Number(after[0]?.['count']) - Number(before[0]?.['count'])).toBe(300);
  });

  it('does not show messages of other accounts or to keys of other domains', async () => {
    const sent = await send(MESSAGE);
    const id = (sent.body.data[0].id as string).slice(1, 37);
    const one = `/v2/accounts/${messages.accountId}/messages/${id}`;
    const foreign = '11111111-1111-4111-8111-111111111111';
    const other = await messages.call('GET', `/v2/accounts/${foreign}/messages/${id}`, {
      account_id: foreign,
    });
    expect([other.status, other.body]).toEqual([404, { message: 'message not found' }]);
    expect((await messages.call('GET', one, { scopes: ['messages:read:{other.test}'] })).status).toBe(403);
    expect((await messages.call('GET', one, { scopes: ['messages:read:{shop.test}'] })).status).toBe(200);
    expect((await messages.call('GET', `/v2/accounts/${messages.accountId}/messages/zzz`)).body.message).toBe(
      'invalid message_id',
    );
  });
});
