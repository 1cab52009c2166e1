import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { checkDns, publishZone } from './dns-zones.js';
import { eventually, expectError, sharedInstallation, unique } from './harness.js';
import { inDays, ok, Sender, typesOf, type Call } from './sender.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let sender: Sender;
let calls: () => Call[];

beforeAll(async () => {
  receiver = await startHttpReceiver();
  sender = await Sender.make(postmesh);
  calls = await sender.webhook(receiver);
});
afterAll(() => receiver?.close());

// no server takes mail for it, and none is contacted
const address = () => `${unique('bounce')}@nowhere.invalid`;
const sandbox = (sandbox_result?: string) => ({
  sandbox: true,
  ...(sandbox_result ? { sandbox_result } : {}),
});
const callOf = (id: string, type: string, from = calls) =>
  from().find((call) => call.type === `message.${type}` && call.data['id'] === id.replaceAll('-', ''));

describe('spec 2-messages §10 rule 1 a sandbox send', () => {
  it('spec 2-messages §10 rule 1 is rendered, signed as it is stored, and read like any other; no server is contacted', async () => {
    const to = address();
    const id = await sender.send(to, sandbox());
    const message = await sender.becomes(id, 'Sandbox Delivered');
    expect(message.content).toContain(`To: ${to}`);
    expect(message.content_parsed.parts).toMatchObject([{ content: expect.stringContaining('Hello') }]);
    expect(message.delivery_attempts).toMatchObject([{ status: 'Delivery', log: '250 2.0.0 OK: queued' }]);
    expect(await postmesh.messagesTo(to)).toEqual([]);
  });

  it('spec 2-messages §10 rule 1 is validated like any other', async () => {
    expectError(await sender.trySend(['no address'], sandbox()), 400);
    expectError(await sender.trySend([address()], { ...sandbox(), subject: ' ' }), 400);
    expectError(await sender.trySend([address()], sandbox('explode')), 400);
  });

  it('spec 2-messages §10 rule 1 costs nothing, and is in no statistics', async () => {
    const own = await Sender.make(postmesh);
    const parent = await postmesh.sql<{ sum: string | null }>(
      'select sum(accepted) from messages.usage where account_id = $1',
      [own.account.id],
    );
    const id = await own.send(address(), sandbox());
    await own.becomes(id, 'Sandbox Delivered');
    // a real message follows it: once that is counted, the sandbox message would be, too
    await own.becomes(await own.send(`${unique('r')}@mail.test`), 'Delivered');
    const statistics = async () => {
      const { data } = ok(await own.api('GET', '{A}/statistics/transactional/deliverability'), 200);
      const sum = (name: string) =>
        data.reduce((all: number, one: Record<string, number>) => all + (one[name] ?? 0), 0);
      return [sum('reception_count'), sum('delivered_count')];
    };
    await eventually(statistics, 30_000).toEqual([1, 1]);
    expect(parent[0]?.sum ?? null).toBeNull();
    const [used] = await postmesh.sql<{ sum: string }>(
      'select sum(accepted) from messages.usage where account_id = $1 and not whole_family',
      [own.account.id],
    );
    expect(Number(used?.sum)).toBe(1);
  });

  it.each(['1', 'true'])(
    'spec 2-messages §10 rule 1 is also requested by the control header: %s',
    async (value) => {
      const to = address();
      const headers = { 'Postmesh-Sandbox': value, 'postmesh-sandbox-result': 'bounce' };
      const message = await sender.becomes(await sender.send(to, { headers }), 'Sandbox Bounced');
      expect(message.content.toLowerCase()).not.toContain('postmesh-sandbox');
      // no setting disables it
      await sender.becomes(await sender.send(to, { headers, sandbox: false }), 'Sandbox Bounced');
    },
  );
});

describe('spec 2-messages §10 rule 2 its domain', () => {
  const from = (own: Sender, domain: string) =>
    own.trySend([address()], { ...sandbox(), from: { email: `news@${domain}` } });

  it('spec 2-messages §10 rule 2 must be owned and valid', async () => {
    const own = await Sender.make(postmesh);
    expectError(await from(own, sender.domain), 400, `domain '${sender.domain}' not found in this account`);
    await publishZone(postmesh, own.domain, { records: [] });
    expect((await checkDns(postmesh, own.account, own.domain)).body.dns_valid).toBe(false);
    await eventually(async () => (await from(own, own.domain)).status).toBe(400);
    expectError(await from(own, own.domain), 400, `domain '${own.domain}' does not have valid DNS records`);
  });

  it('spec 2-messages §10 rule 2 may be paused', async () => {
    const own = await Sender.make(postmesh);
    const path = `/operator/domains/accounts/${own.account.id}/domains/${own.domain}/pause`;
    ok(await postmesh.operator('POST', path, { reason: 'a test' }), 200);
    await eventually(async () => (await own.trySend([address()])).status).toBe(403);
    await own.becomes(await own.send(address(), sandbox()), 'Sandbox Delivered');
  });
});

describe('spec 2-messages §10 rule 3 outcomes', () => {
  const attempt = {
    deliver: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'OK: queued', command: 'DATA' },
    bounce: {
      classification: 'InvalidRecipient',
      ...{
        smtp_code: 550,
        enhanced_status_code: '5.1.1',
        response: 'simulated: no such user',
        command: 'RCPT TO',
      },
    },
    defer: {
      classification: 'TransientFailure',
      ...{
        smtp_code: 452,
        enhanced_status_code: '4.2.2',
        response: 'simulated: mailbox full',
        command: 'RCPT TO',
      },
    },
  };

  it.each([
    ['deliver', 'Sandbox Delivered', 'delivered', 'Delivery', attempt.deliver],
    ['bounce', 'Sandbox Bounced', 'bounced', 'Bounce', attempt.bounce],
    ['defer', 'Sandbox Deferred', 'transient_error', 'TransientFailure', attempt.defer],
    ['fail', 'Sandbox Failed', 'failed', 'Expiration', undefined],
    ['suppress', 'Sandbox Suppressed', 'suppressed', 'Suppression', undefined],
  ] as const)(
    'spec 2-messages §10 rule 3 %s is %s, with the events reception and %s',
    async (result, status, event, entry, shown) => {
      const to = address();
      const id = await sender.send(to, sandbox(result));
      const message = await sender.becomes(id, status);
      expect(message.delivery_attempts).toMatchObject([{ status: entry }]);
      expect(message.num_attempts).toBe(shown ? 1 : 0);
      await eventually(() => typesOf(calls(), id)).toEqual(['message.reception', `message.${event}`]);
      const { data } = callOf(id, event)!;
      if (shown) expect(data['delivery_attempt']).toEqual(shown);
      else expect(data).not.toHaveProperty('delivery_attempt');
      expect(await postmesh.messagesTo(to)).toEqual([]);
    },
  );

  it('spec 2-messages §10 rule 3 without a result it is delivered', async () => {
    await sender.becomes(await sender.send(address(), sandbox()), 'Sandbox Delivered');
  });
});

describe('spec 2-messages §10 rule 4 after its outcome', () => {
  it('spec 2-messages §10 rule 4 is over: a deferred one is not tried again', async () => {
    const id = await sender.send(address(), sandbox('defer'));
    await sender.becomes(id, 'Sandbox Deferred');
    expect(await postmesh.sql('select id from delivery_worker.deliveries where id = $1', [id])).toEqual([]);
    expectError(await sender.api('DELETE', `{A}/messages/${id}/cancel`), 400, 'message cannot be cancelled');
  });

  it('spec 2-messages §10 rule 4 neither reads nor writes suppressions', async () => {
    const [listed, other] = [address(), address()];
    const body = { email: listed, domain: sender.domain, expires_at: inDays(1) };
    ok(await sender.api('POST', '{A}/suppressions', body), 201);
    await sender.becomes(await sender.send(listed, sandbox()), 'Sandbox Delivered');
    const before = calls().filter(({ type }) => type === 'suppression.created').length;
    for (const result of ['suppress', 'bounce', 'fail']) {
      const id = await sender.send(other, sandbox(result));
      await eventually(() => typesOf(calls(), id).length).toBe(2);
    }
    const path = `{A}/suppressions?email=${encodeURIComponent(other)}`;
    expect(ok(await sender.api('GET', path), 200).data).toEqual([]);
    expect(calls().filter(({ type }) => type === 'suppression.created')).toHaveLength(before);
  });

  it('spec 2-messages §10 rule 4 suppresses no address by an unsubscribe link either', async () => {
    const template = {
      ...{ name: unique('t'), subject: 'News', from: { email: `news@${sender.domain}` }, publish: true },
      content: { html: '<p><a href="{{ unsubscribe_url }}">stop</a></p>' },
    };
    const { id: template_id } = ok(await sender.api('POST', '{A}/templates', template), 201);
    const to = address();
    const body = { template_id, recipients: [{ email: to }], ...sandbox() };
    const { data } = ok(await sender.api('POST', '{A}/messages/template', body), 202);
    const { content } = await sender.becomes(data[0].id.slice(1, 37), 'Sandbox Delivered');
    const [path = ''] = /\/u\/[\w-]+/.exec(content.replaceAll(/\r?\n[ \t]+/g, '')) ?? [];
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const options = { rawBody: 'List-Unsubscribe=One-Click', headers };
    expect((await postmesh.api(null, 'POST', path, options)).status).toBe(200);
    const listed = `{A}/suppressions?email=${encodeURIComponent(to)}`;
    expect(ok(await sender.api('GET', listed), 200).data).toEqual([]);
  });
});

describe('spec 2-messages §10 rule 5 a schedule', () => {
  it('spec 2-messages §10 rule 5 counts: the outcome happens at first_attempt', async () => {
    const first_attempt = new Date(Date.now() + 5_000).toISOString();
    const id = await sender.send(address(), { ...sandbox('bounce'), schedule: { first_attempt } });
    expect((await sender.message(id)).status).toBe('Scheduled');
    const message = await sender.becomes(id, 'Sandbox Bounced');
    const [attempt] = message.delivery_attempts;
    expect(Date.parse(attempt.time)).toBeGreaterThanOrEqual(Date.parse(first_attempt));
  });

  it('spec 2-messages §10 rule 5 can be canceled before', async () => {
    const schedule = { first_attempt: inDays(1) };
    const id = await sender.send(address(), { ...sandbox('bounce'), schedule });
    ok(await sender.api('DELETE', `{A}/messages/${id}/cancel`), 200);
    expect((await sender.message(id)).status).toBe('Canceled');
    const open = `select id from delivery_worker.deliveries where id = $1 and state <> 'canceled'`;
    expect(await postmesh.sql(open, [id])).toEqual([]);
  });
});

describe('spec 2-messages §10 rule 7 webhooks', () => {
  it('spec 2-messages §10 rule 7 get the same as for a real message, signed, and without a flag', async () => {
    const id = await sender.send(address(), sandbox());
    const real = await sender.send(`${unique('r')}@mail.test`);
    for (const one of [id, real]) await eventually(() => typesOf(calls(), one).length).toBe(2);
    for (const type of ['reception', 'delivered']) {
      const [simulated, met] = [callOf(id, type)!, callOf(real, type)!];
      expect(Object.keys(simulated)).toEqual(Object.keys(met));
      expect(Object.keys(simulated.data)).toEqual(Object.keys(met.data));
      expect(JSON.stringify(simulated)).not.toMatch(/sandbox/i);
    }
    const request = receiver.requests.find(({ body }) => body.toString().includes(id.replaceAll('-', '')));
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      expect(request?.headers[name]).toEqual(expect.any(String));
    }
  });
});
