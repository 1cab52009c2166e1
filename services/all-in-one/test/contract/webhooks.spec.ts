import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from '@postmesh/testing';
import { newChild } from './families.js';
import { eventually, expectError, sharedInstallation, TIMESTAMP, unique, UUID_V7 } from './harness.js';
import { ok, Sender, typesOf } from './sender.js';

const postmesh = sharedInstallation();
const FLAGS = [
  'on_reception',
  'on_delivered',
  'on_transient_error',
  'on_failed',
  'on_bounced',
  'on_suppressed',
  'on_opened',
  'on_clicked',
  'on_suppression_created',
  'on_dns_error',
];
const all = (value: boolean) => Object.fromEntries(FLAGS.map((flag) => [flag, value]));
let receiver: HttpReceiver;
let sender: Sender;
beforeAll(async () => {
  receiver = await startHttpReceiver();
  sender = await Sender.make(postmesh);
});
afterAll(() => receiver?.close());
beforeEach(() => receiver.respondWith({}));

interface Hook {
  id: string;
  name: string;
  secret: string;
}
const GLOBAL = { name: 'Hook', scope: 'global', on_dns_error: true };
const create = (more: object, of = sender) =>
  of.api('POST', '{A}/webhooks', { ...GLOBAL, url: receiver.url, ...more });
const hook = async (more: object, of = sender): Promise<Hook> => ok(await create(more, of), 201);
const get = async (id: string) => ok(await sender.api('GET', `{A}/webhooks/${id}`), 200);
const put = (id: string, body: object) => sender.api('PUT', `{A}/webhooks/${id}`, body);

interface WebhookEvent {
  type: string;
  timestamp: string;
  webhook_id: string;
  data: Record<string, any>; // eslint-disable-line typescript/no-explicit-any
}
const read = (request: ReceivedRequest): WebhookEvent => JSON.parse(request.body.toString());
const requestsOf = ({ id }: Hook) => receiver.requests.filter((request) => read(request).webhook_id === id);
const eventsSoFar = (of: Hook) => requestsOf(of).map(read);
const eventsOf = async (of: Hook, count: number): Promise<WebhookEvent[]> => {
  await eventually(() => eventsSoFar(of).length, 30_000).toBeGreaterThanOrEqual(count);
  return eventsSoFar(of);
};

describe('spec 2-messages §17 a webhook', () => {
  it('spec 2-messages §17 is answered with its fields, and with its secret this once', async () => {
    const body = ok(await create({ on_bounced: true }), 201);
    const { secret, ...shown } = body;
    expect(shown).toEqual({
      object: 'webhook',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      ...all(false),
      ...GLOBAL,
      url: receiver.url,
      domains: [],
      enabled: true,
      on_bounced: true,
      success_count: 0,
      error_count: 0,
      errors_since_last_success: 0,
      last_request_at: null,
    });
    expect(shown.updated_at).toBe(shown.created_at);
    expect(secret).toMatch(/^pm-whsec-[A-Za-z0-9]{64}$/);
    expect(await get(body.id)).toEqual(shown);
  });

  it('spec 2-messages §17 has an event on, also after an update', async () => {
    const needed = `at least one event must be on: ${FLAGS.join(', ')}`;
    expectError(await create({ on_dns_error: false }), 400, needed);
    expectError(await create({ on_dns_error: null }), 400, needed);
    const { id } = await hook({});
    expectError(await put(id, { on_dns_error: false }), 400, needed);
    expect(ok(await put(id, { on_dns_error: false, on_opened: true }), 200)).toMatchObject({
      on_opened: true,
    });
  });

  it('spec 2-messages §17 is listed by enabled and by each flag, to domain scopes without global ones', async () => {
    const own = await Sender.make(postmesh);
    const scoped = { scope: 'scoped', domains: [own.domain] };
    const [first] = [await hook({ ...scoped, on_failed: true }, own), await hook({ enabled: false }, own)];
    const list = async (query: string, scopes?: string[]) => {
      const key = scopes ? await postmesh.newKey(own.account, { scopes }) : own.account.key;
      return postmesh.api(key, 'GET', `{A}/webhooks?${query}`);
    };
    const ids = async (...of: Parameters<typeof list>) =>
      ok(await list(...of), 200).data.map(({ id }: Hook) => id);
    expect(await ids('')).toHaveLength(2);
    expect(await ids('enabled=true')).toEqual([first!.id]);
    expect(await ids('on_failed=true')).toEqual([first!.id]);
    expect(await ids('on_failed=false&enabled=true')).toEqual([]);
    expect(await ids('', [`webhooks:read:{${own.domain}}`])).toEqual([first!.id]);
    expectError(await list('on_failed=1'), 400, 'invalid on_failed, must be true or false');
  });

  it('spec 2-messages §17 update rule 1: omitted and null fields stay, [] makes it match nothing', async () => {
    const { id } = await hook({ scope: 'scoped', domains: [sender.domain], on_failed: true });
    const kept = ok(await put(id, { name: null, domains: null, on_bounced: true }), 200);
    expect(kept).toMatchObject({ name: 'Hook', domains: [sender.domain], on_failed: true, on_bounced: true });
    expect(ok(await put(id, { domains: [] }), 200).domains).toEqual([]);
  });

  it('spec 2-messages §17 update rule 2: to scoped needs domains, to global needs :all and clears them', async () => {
    const { id } = await hook({});
    expectError(await put(id, { scope: 'scoped' }), 400, 'domains must not be empty');
    const domains = [sender.domain];
    expect(ok(await put(id, { scope: 'scoped', domains }), 200)).toMatchObject({ scope: 'scoped', domains });
    const scopes = [`webhooks:write:{${sender.domain}}`];
    const weak = await postmesh.newKey(sender.account, { scopes });
    const body = { scope: 'global' };
    expectError(
      await postmesh.api(weak, 'PUT', `{A}/webhooks/${id}`, { body }),
      403,
      'api key does not have sufficient permissions to write webhooks',
    );
    expect(ok(await put(id, { ...body, domains }), 200)).toMatchObject({ ...body, domains: [] });
  });

  it('spec 2-messages §17 update rule 3: enabled again, its failures in a row are reset; a mail had reported that it was disabled', async () => {
    const made = await hook({ name: unique('Broken') });
    receiver.respondWith((request) => ({ status: read(request).webhook_id === made.id ? 500 : 200 }));
    await postmesh.sql(
      `update webhooks.webhooks set errors_since_last_success = 100, failing_since = now() - interval '6 days' where id = $1`,
      [made.id],
    );
    ok(await sender.api('POST', `{A}/webhooks/${made.id}/trigger`, { events: ['message.delivered'] }), 202);
    await eventually(async () => (await get(made.id)).enabled, 20_000).toBe(false);
    expect(await get(made.id)).toMatchObject({ error_count: 1, errors_since_last_success: 101 });
    expect((await get(made.id)).last_request_at).toMatch(TIMESTAMP);
    await eventually(
      async () => (await postmesh.messagesTo(sender.account.ownerEmail)).map(({ subject }) => subject),
      20_000,
    ).toContain(`The webhook ${made.name} of ${sender.account.name} was disabled`);
    expect(ok(await put(made.id, { enabled: true }), 200)).toMatchObject({
      enabled: true,
      error_count: 1,
      errors_since_last_success: 0,
    });
  });

  it('there are a hundred of them in an account, unless it had more before', async () => {
    const own = await Sender.make(postmesh);
    const { id } = await hook({}, own);
    await postmesh.sql(
      `insert into webhooks.webhooks
       select (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid()))).*
       from webhooks.webhooks w, generate_series(1, 150) where w.id = $1`,
      [id],
    );
    expectError(await create({}, own), 403, 'webhook limit reached');
    const { data } = ok(await own.api('GET', '{A}/webhooks'), 200);
    expect(data).toHaveLength(100);
    expect(ok(await own.api('PUT', `{A}/webhooks/${data[0].id}`, { name: 'Still mine' }), 200).name).toBe(
      'Still mine',
    );
  });
});

describe('spec 2-messages §19.1 events of messages', () => {
  const ALWAYS = 'account_id event from recipient subject message_id_header id is_bot';

  it('spec 2-messages §19.1 come with these fields, in this order, the reception first', async () => {
    const made = await hook(all(true));
    const results = ['deliver', 'bounce', 'defer', 'fail', 'suppress'];
    const ids = new Map<string, string>();
    for (const result of results) {
      const more = { sandbox: true, sandbox_result: result, subject: 'Your order' };
      ids.set(await sender.send(`${unique('r')}@mail.test`, more), result);
    }
    const events = await eventsOf(made, 10);
    const last: Record<string, string> = {
      deliver: 'message.delivered',
      bounce: 'message.bounced',
      defer: 'message.transient_error',
      fail: 'message.failed',
      suppress: 'message.suppressed',
    };
    for (const [id, result] of ids) expect(typesOf(events, id)).toEqual(['message.reception', last[result]]);
    for (const { type, timestamp, data, ...rest } of events) {
      expect(rest).toEqual({ webhook_id: made.id });
      expect(timestamp).toMatch(TIMESTAMP);
      expect(Object.keys(data).join(' ').replace(' delivery_attempt', '')).toBe(ALWAYS);
      expect(data).toMatchObject({
        account_id: sender.account.id,
        event: `on_${type.slice('message.'.length)}`,
        subject: 'Your order',
        message_id_header: expect.stringMatching(/^<.+@.+>$/),
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        is_bot: false,
      });
      const mayHave = ['message.delivered', 'message.bounced', 'message.transient_error'];
      if (!mayHave.includes(type)) expect(data).not.toHaveProperty('delivery_attempt');
    }
  });

  it('spec 2-messages §19.1 of a message that a server rejected have its reply', async () => {
    const made = await hook({ on_bounced: true, scope: 'scoped', domains: [sender.domain] });
    const id = await sender.send(`bounce-${unique('r')}@mail.test`);
    const [bounced] = await eventsOf(made, 1);
    expect(bounced?.data['id']).toBe(id.replaceAll('-', ''));
    expect(bounced?.data['delivery_attempt']).toMatchObject({
      classification: expect.any(String),
      smtp_code: expect.any(Number),
      response: expect.any(String),
    });
  });
});

describe('spec 2-messages §19.2 suppression.created', () => {
  it('spec 2-messages §19.2 is sent for each row that the API created, once per domain where it is for all', async () => {
    const own = await Sender.make(postmesh);
    const second = await postmesh.verifiedDomain(own.account);
    const made = await hook({ on_suppression_created: true }, own);
    const [one, every] = [`${unique('r')}@mail.test`, `${unique('r')}@mail.test`];
    const expires_at = '2090-01-02T03:04:05Z';
    ok(await own.api('POST', '{A}/suppressions', { email: one, domain: own.domain, expires_at }), 201);
    const [first] = await eventsOf(made, 1);
    expect(first).toEqual({
      type: 'suppression.created',
      timestamp: expect.stringMatching(TIMESTAMP),
      webhook_id: made.id,
      data: {
        account_id: own.account.id,
        recipient: one,
        created_at: expect.stringMatching(TIMESTAMP),
        expires_at,
        reason: expect.any(String),
        sending_domain: own.domain,
      },
    });
    ok(await own.api('POST', '{A}/suppressions', { email: every, expires_at }), 201);
    const domains = (await eventsOf(made, 3)).slice(1).map(({ data }) => data['sending_domain']);
    expect(domains.sort()).toEqual([own.domain, second].sort());
  });
});

describe('spec 2-messages §19.3 domain.dns_error', () => {
  it('spec 2-messages §19.3 has these fields, as a sample shows', async () => {
    const made = await hook({ on_dns_error: true });
    ok(await sender.api('POST', `{A}/webhooks/${made.id}/trigger`, { events: ['domain.dns_error'] }), 202);
    const [event] = await eventsOf(made, 1);
    expect(Object.keys(event!.data)).toEqual([
      'domain',
      'account_id',
      'spf_valid',
      'dkim_valid',
      'dmarc_valid',
      'dns_last_checked_at',
    ]);
  });
});

describe('spec 2-messages §21 rule 1 samples', () => {
  const OTHERS: Record<string, string> = {
    on_suppression_created: 'suppression.created',
    on_dns_error: 'domain.dns_error',
  };
  const EVENTS = FLAGS.map((flag) => OTHERS[flag] ?? `message.${flag.slice(3)}`);
  const trigger = (id: string, body: object, by = sender.account.key) =>
    postmesh.api(by, 'POST', `{A}/webhooks/${id}/trigger`, { body });

  it('spec 2-messages §21 rule 1 are sent of each type, signed as usual', async () => {
    const made = await hook({});
    expect((await trigger(made.id, { events: EVENTS })).status).toBe(202);
    const events = await eventsOf(made, EVENTS.length);
    expect(events.map(({ type }) => type).sort()).toEqual([...EVENTS].sort());
    for (const request of requestsOf(made)) expectSigned(request, made.secret);
  });

  it('spec 2-messages §21 rule 1 of an unknown type are 400, without the write scope 403, of a stranger 404', async () => {
    const made = await hook({});
    expectError(await trigger(made.id, { events: ['message.routing'] }), 400);
    const reader = await postmesh.newKey(sender.account, { scopes: ['webhooks:read:all'] });
    expectError(await trigger(made.id, { events: ['message.failed'] }, reader), 403);
    const { key } = await newChild(postmesh, sender.account);
    expectError(await trigger(made.id, { events: ['message.failed'] }, key), 404, 'webhook not found');
    expect(requestsOf(made)).toEqual([]);
  });
});

/** Verifies as a receiver without our code: with a shell, and with a library of others. */
function expectSigned({ headers, body }: ReceivedRequest, secret: string): void {
  const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
  expect(headers['webhook-signature']).toBe(
    signedByOpenssl(secret, { id, timestamp, body: body.toString() }),
  );
  // it expects a key in base64, while here the text of the secret is the key
  const webhook = new Webhook(Buffer.from(secret).toString('base64'));
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  expect(webhook.verify(body.toString(), given)).toEqual(JSON.parse(body.toString()));
}

function signedByOpenssl(secret: string, call: { id: string; timestamp: string; body: string }): string {
  const script =
    'printf "v1,"; printf "%s.%s.%s" "$ID" "$AT" "$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64 -w0';
  const env = { KEY: Buffer.from(secret).toString('hex'), ID: call.id, AT: call.timestamp, BODY: call.body };
  return execFileSync('sh', ['-c', script], { env: { ...process.env, ...env } }).toString();
}

it('spec 2-messages §18 rule 3: plain openssl gives the signature of the test vector', () => {
  const body =
    '{"type":"message.delivered","timestamp":"2025-12-31T23:59:59Z","webhook_id":"5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10","data":{"account_id":"0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0","event":"on_delivered","from":"news@shop.test","recipient":"ann@mail.test","subject":"Your order","message_id_header":"<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>","is_bot":false,"id":"01980f3e5b7a7c11a2d40c5f9e6b8a01","delivery_attempt":{"smtp_code":250,"enhanced_status_code":"2.0.0","response":"OK queued","command":"DATA"}}}';
  expect(body).toHaveLength(508);
  const secret = 'em-whsec-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI';
  const call = { id: 'msg_01980f3e5b7a7c11a2d40c5f9e6b8a01', timestamp: '1767225600', body };
  expect(signedByOpenssl(secret, call)).toBe('v1,9XkPJShZwm1o1G7FdG12safYE/t54k3JUCecVUmsjtw=');
});
