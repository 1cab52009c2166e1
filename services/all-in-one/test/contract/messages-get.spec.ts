import { beforeAll, describe, expect, it } from 'vitest';
import { sendMessage } from './families.js';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  uniqueDomain,
  UUID,
  UUID_V7,
  type Account,
  type ApiKey,
  type HttpResponse,
} from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
let domain: string;

beforeAll(async () => {
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
});

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

/** @param reference in the encoding of the path */
const get = (reference: string, key: ApiKey = account.key): Promise<HttpResponse> =>
  postmesh.api(key, 'GET', `{A}/messages/${reference}`);
const message = async (messageId: string) => (await get(encodeURIComponent(messageId))).body;
const becomes = (messageId: string) => eventually(async () => (await message(messageId)).status, 20_000);

/** @returns the Message-ID that the recipients share */
async function send(to: string | string[], more: object = {}): Promise<string> {
  const { status, body } = await sendMessage(postmesh, account, { from: domain, to: [to].flat(), more });
  expect([status, body.message]).toEqual([202, undefined]);
  return body.data[0].id as string;
}
const someone = (name = 'ann') => `${name}-${unique('r')}@mail.test`;

describe('one message', () => {
  it('spec 2-messages §2.2 by its id or Message-ID, with or without brackets, encoded as clients do, in any case', async () => {
    const messageId = await send(someone(), { schedule: { first_attempt: inMs(3_600_000) } });
    const [id, inner] = [messageId.slice(1, 37), messageId.slice(1, -1)];
    const references = [
      id,
      id.toUpperCase(),
      encodeURIComponent(messageId),
      encodeURIComponent(messageId).toLowerCase(),
      encodeURIComponent(inner),
      inner,
      inner.toUpperCase(),
      `%3C${inner}%3E`,
    ];
    for (const reference of references) {
      const { status, body } = await get(reference);
      expect([reference, status, body.id, body.message_id]).toEqual([reference, 200, id, messageId]);
    }
    // unencoded, which URL parsers of clients would not send
    const raw = await postmesh.raw([
      `GET /v2/accounts/${account.id}/messages/${messageId} HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${account.key.secret}`,
      'connection: close',
    ]);
    expect([raw.status, raw.body.id]).toEqual([200, id]);
  });

  it('spec 2-messages §2.2 a shared Message-ID answers the first record; each is found by its own id', async () => {
    const to = [someone('first'), someone('second')];
    const messageId = await send(to);
    expect(await message(messageId)).toMatchObject({ recipient: to[0], message_id: messageId });
    const { body } = await postmesh.api(
      account.key,
      'GET',
      `{A}/messages?message_id_header=${encodeURIComponent(messageId)}`,
    );
    const second = body.data.find((one: { recipient: string }) => one.recipient === to[1]);
    expect((await get(second.id)).body).toMatchObject({ recipient: to[1], message_id: messageId });
    expectError(await get(`${second.id}@${domain}`), 404, 'message not found');
  });

  it('spec 2-messages §2.2 with a recipient a shared Message-ID answers the record of that recipient', async () => {
    const to = [someone('first'), someone('second')];
    const messageId = await send(to);
    const read = (recipient: string) =>
      get(`${encodeURIComponent(messageId)}?recipient=${encodeURIComponent(recipient)}`);
    for (const recipient of to)
      expect((await read(recipient)).body).toMatchObject({ recipient, message_id: messageId });
    expect((await read(` ${to[1]!.toUpperCase()} `)).body.recipient).toBe(to[1]);
    expect((await read('')).body.recipient).toBe(to[0]);
    for (const stranger of [someone('third'), 'no address'])
      expectError(await read(stranger), 404, 'message not found');
  });

  it('spec 2-messages §2.2 of a regular send each message has a Message-ID and a subject of its own', async () => {
    const to = [someone('first'), someone('second')];
    const body = {
      from: { email: `news@${domain}` },
      recipients: to.map((email, nth) => ({ email, substitutions: { nth } })),
      subject: 'Message {{ nth }}',
      text_content: 'Hello',
    };
    const sent = await postmesh.api(account.key, 'POST', '{A}/messages', { body });
    expect([sent.status, sent.body.message]).toEqual([202, undefined]);
    for (const [nth, { id }] of sent.body.data.entries()) {
      const expected = { message_id: id, id: id.slice(1, 37), recipient: to[nth], subject: `Message ${nth}` };
      expect(await message(id)).toMatchObject(expected);
      expect((await get(id.slice(1, 37))).body).toMatchObject(expected);
    }
  });

  it('spec 2-messages §2.2 an invalid id is refused, an unknown one is not found', async () => {
    const other = await postmesh.newAccount();
    const messageId = await send(someone());
    for (const reference of ['nonsense', '%3C%3E', '@', '1234']) {
      expectError(await get(reference), 400, 'invalid message_id');
    }
    for (const reference of [
      '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
      'made-by-a-client%40mail.test',
      `${messageId.slice(1, 37)}@other.test`,
    ]) {
      expectError(await get(reference), 404, 'message not found');
    }
    expectError(await get(encodeURIComponent(messageId), other.key), 404, 'message not found');
  });

  it('spec 2-messages §2.2 needs the scope of its sending domain, and is not found once its record is purged', async () => {
    const messageId = await send(someone());
    const reference = encodeURIComponent(messageId);
    const own = await postmesh.newKey(account, { scopes: [`messages:read:{${domain}}`] });
    expect((await get(reference, own)).status).toBe(200);
    const another = uniqueDomain();
    await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: another } });
    const foreign = await postmesh.newKey(account, { scopes: [`messages:read:{${another}}`] });
    expectError(await get(reference, foreign), 403, 'insufficient permissions for the required scope');
    const none = await postmesh.newKey(account, { scopes: ['messages:send:all'] });
    expectError(await get(reference, none), 403, 'insufficient permissions for the required scope');
    await postmesh.sql(
      'update messages.send_requests set retain_metadata_until = now() - make_interval(secs => 1) where id = $1',
      [messageId.slice(1, 37)],
    );
    expectError(await get(reference), 404, 'message not found');
  });

  it('spec 2-messages §2.2 has its content while it is stored', async () => {
    const messageId = await send(someone(), { html_content: '<p>Hello</p>' });
    expect(await message(messageId)).toMatchObject({
      content: expect.stringContaining(`Message-ID: ${messageId}`),
      content_parsed: { parts: [{ content_type: 'text/plain' }, { content_type: 'text/html' }] },
    });
    await postmesh.sql('update messages.send_requests set content_id = null where id = $1', [
      messageId.slice(1, 37),
    ]);
    const purged = await message(messageId);
    expect(purged).toMatchObject({ message_id: messageId });
    expect(purged).not.toHaveProperty('content');
    expect(purged).not.toHaveProperty('content_parsed');
  });
});

describe('the resource', () => {
  it('spec 2-messages §3 of a delivered message', async () => {
    const to = someone();
    const messageId = await send(to, { subject: 'Hello', tags: ['a', 'b'], retention: { data: 2 } });
    await becomes(messageId).toBe('Delivered');
    const found = await message(messageId);
    expect(found).toEqual({
      object: 'message',
      id: messageId.slice(1, 37),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      sent_at: expect.stringMatching(TIMESTAMP),
      delivered_at: expect.stringMatching(TIMESTAMP),
      retain_until: new Date(Date.parse(found.created_at) + 2 * 86_400_000).toISOString(),
      direction: 'outbound',
      is_bounce_notification: false,
      bounce_classification: '',
      delivery_attempts: [
        { time: expect.stringMatching(TIMESTAMP), log: expect.stringMatching(/^250 /), status: 'Delivery' },
      ],
      message_id: messageId,
      subject: 'Hello',
      tags: ['a', 'b'],
      sender: `news@${domain}`,
      recipient: to,
      status: 'Delivered',
      num_attempts: 1,
      open_count: 0,
      click_count: 0,
      reference_message_id: null,
      domain_id: expect.stringMatching(UUID),
      account_id: account.id,
      template_id: null,
      content: expect.any(String),
      content_parsed: expect.any(Object),
    });
    expect(found.id).toMatch(UUID_V7);
    expect(Date.parse(found.sent_at)).toBeLessThanOrEqual(Date.parse(found.delivered_at));
  });

  it.each([
    ['bounce', {}, 'Bounced', 'Bounce', 'InvalidRecipient', 1],
    ['defer', {}, 'Deferred', 'TransientFailure', expect.any(String), 1],
    ['late', { schedule: { expires: 4_000 } }, 'Failed', 'Expiration', 'MessageExpired', expect.any(Number)],
  ])('spec 2-messages §3 and §7: %s', async (name, more, status, attempt, classification, attempts) => {
    const schedule = 'schedule' in more ? { schedule: { expires: inMs(more.schedule.expires) } } : {};
    const to = name === 'late' ? someone('defer') : someone(name);
    const messageId = await send(to, schedule);
    await becomes(messageId).toBe(status);
    const found = await message(messageId);
    expect(found).toMatchObject({
      bounce_classification: classification,
      num_attempts: attempts,
      delivered_at: null,
    });
    expect(found.delivery_attempts.at(-1)).toMatchObject({ status: attempt });
  });

  it('spec 2-messages §7 accepted: received, or scheduled until its time by the clock alone', async () => {
    const soon = await send(someone(), { schedule: { first_attempt: inMs(3_600_000) } });
    expect(await message(soon)).toMatchObject({ status: 'Scheduled', sent_at: null, num_attempts: 0 });
    await postmesh.sql('update messages.send_requests set first_attempt = now() where id = $1', [
      soon.slice(1, 37),
    ]);
    expect(await message(soon)).toMatchObject({ status: 'Received' });
  });

  it.each([
    ['deliver', 'Sandbox Delivered'],
    ['defer', 'Sandbox Deferred'],
    ['fail', 'Sandbox Failed'],
    ['bounce', 'Sandbox Bounced'],
    ['suppress', 'Sandbox Suppressed'],
  ])('spec 2-messages §7 of the sandbox: %s', async (sandbox_result, status) => {
    await becomes(await send(someone(), { sandbox: true, sandbox_result })).toBe(status);
  });
});

describe('a message in the operator interface', () => {
  const operatorView = async (messageId: string) => {
    const path = `/operator/messages/messages/${encodeURIComponent(messageId)}`;
    const { status, body } = await postmesh.operator('GET', path);
    expect(status).toBe(200);
    return body;
  };

  it('is its timeline with host, address, TLS, reply and duration of each attempt', async () => {
    const messageId = await send(someone());
    await becomes(messageId).toBe('Delivered');
    const { waiting_for, timeline } = await operatorView(messageId);
    expect(waiting_for).toBeNull();
    expect(timeline).toMatchObject([
      { what: 'accepted' },
      {
        what: 'Delivery',
        host: expect.any(String),
        address: expect.stringMatching(/^127\./),
        tls: expect.stringMatching(/^TLSv1\.[23] \S+, not verified$/),
        reply: expect.stringMatching(/^250 /),
        duration_ms: expect.any(Number),
      },
    ]);
  });

  it('is why it waits and until when, as the delivery worker knows it', async () => {
    const first_attempt = inMs(3_600_000);
    const scheduled = await send(someone(), { schedule: { first_attempt } });
    await eventually(async () => (await operatorView(scheduled)).waiting_for).toBe('its scheduled time');
    expect(await operatorView(scheduled)).toMatchObject({ waiting_until: first_attempt });
    const deferred = await send(someone('defer'));
    await becomes(deferred).toBe('Deferred');
    const { waiting_for, waiting_until, timeline } = await operatorView(deferred);
    expect(waiting_for).toMatch(/^451 /);
    expect(Date.parse(waiting_until)).toBeGreaterThan(Date.now());
    expect(timeline.at(-1)).toMatchObject({ next_attempt_at: waiting_until });
    await postmesh.operator('POST', `/operator/accounts/accounts/${account.id}/suspend`, { reason: 'test' });
    await eventually(async () => (await operatorView(scheduled)).waiting_for).toBe(
      'the account is suspended',
    );
    await postmesh.operator('POST', `/operator/accounts/accounts/${account.id}/resume`);
    await eventually(async () => (await operatorView(scheduled)).waiting_for).not.toMatch(/suspended/);
  });
});
