import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { checkDns, publishZone } from './dns-zones.js';
import { eventually, expectError, sharedInstallation, unique } from './harness.js';
import { inDays, inSeconds, ok, Sender, typesOf, type Call } from './sender.js';

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

const address = (kind = 'r') => `${unique(kind)}@mail.test`;
const tomorrow = () => ({ schedule: { first_attempt: inDays(1) } });

describe('spec 2-messages §8 rule 1 limits', () => {
  const first = 'schedule.first_attempt must be in the future and within 7 days';
  const end = 'schedule.expires must be in the future and within 8 days';

  it.each([
    [{ first_attempt: inSeconds(-1) }, first],
    [{ first_attempt: inDays(7.01) }, first],
    [{ expires: inSeconds(-1) }, end],
    [{ expires: inDays(8.01) }, end],
    [
      { first_attempt: inDays(2), expires: inDays(1) },
      'schedule.expires must be after schedule.first_attempt',
    ],
    [{ first_attempt: '2099-01-01T00:00:00Z', expires: inDays(1) }, first],
  ])('spec 2-messages §8 rule 1 %j is 400', async (schedule, message) => {
    expectError(await sender.trySend([address()], { schedule }), 400, message);
  });

  it('spec 2-messages §8 rule 1 equal times and invalid times are 400', async () => {
    const time = inDays(1);
    const equal = { schedule: { first_attempt: time, expires: time } };
    expectError(await sender.trySend([address()], equal), 400);
    for (const text of ['tomorrow', '2026-02-30T00:00:00Z', 17]) {
      expectError(await sender.trySend([address()], { schedule: { first_attempt: text } }), 400);
    }
  });

  it('spec 2-messages §8 rule 1 up to 7 and 8 days are taken, and echoed', async () => {
    const schedule = { first_attempt: inDays(6.99), expires: inDays(7.99) };
    const { data } = ok(await sender.trySend([address()], { schedule }), 202);
    expect(data[0]).toMatchObject({ status: 'scheduled', schedule });
    expect(await sender.message(data[0].id.slice(1, 37))).toMatchObject({
      status: 'Scheduled',
      num_attempts: 0,
    });
  });
});

it('spec 2-messages §8 rule 2 no attempt before first_attempt, the first one within 60 s after it', async () => {
  const to = address();
  const schedule = { first_attempt: inSeconds(5) };
  const id = await sender.send(to, { schedule });
  expect((await sender.message(id)).status).toBe('Scheduled');
  expect(await postmesh.messagesTo(to)).toEqual([]);
  const message = await sender.becomes(id, 'Delivered', 60_000);
  const waited = Date.parse(message.sent_at) - Date.parse(schedule.first_attempt);
  expect(waited).toBeGreaterThanOrEqual(0);
  expect(waited).toBeLessThan(60_000);
  expect(typesOf(calls(), id)[0]).toBe('message.reception');
});

describe('spec 2-messages §8 rule 3 the window', () => {
  const expired = { status: 'Failed', bounce_classification: 'MessageExpired', delivered_at: null };

  it('spec 2-messages §8 rule 3 ends with expires: an undelivered message has failed then', async () => {
    const id = await sender.send(address('defer'), { schedule: { expires: inSeconds(120) } });
    const message = await sender.becomes(id, 'Failed');
    expect(message).toMatchObject({ ...expired, num_attempts: 1 });
    // the retry would come after the end, so the message ends now
    expect(message.delivery_attempts.at(-1)).toMatchObject({ status: 'Expiration' });
    await eventually(() => typesOf(calls(), id)).toEqual(['message.reception', 'message.failed']);
    const ownCalls = calls().find(
      ({ type, data }) => type === 'message.failed' && data['id'] === id.replaceAll('-', ''),
    );
    expect(ownCalls?.data).not.toHaveProperty('delivery_attempt');
  });

  it('spec 2-messages §8 rule 3 ends 24 hours after the first attempt', async () => {
    const id = await sender.send(address('defer'));
    await sender.becomes(id, 'Deferred');
    await sender.attemptNow(id, `, first_attempt_at = now() - interval '24 hours'`);
    const message = await sender.becomes(id, 'Failed');
    expect(message).toMatchObject({ ...expired, num_attempts: 1 });
    expect(message.delivery_attempts).toMatchObject([
      { status: 'TransientFailure' },
      { status: 'Expiration' },
    ]);
    await eventually(() => typesOf(calls(), id)).toEqual([
      'message.reception',
      'message.transient_error',
      'message.failed',
    ]);
  });

  it('spec 2-messages §8 rule 3 may end before anything was tried', async () => {
    const to = address();
    const id = await sender.send(to, { schedule: { first_attempt: inDays(1), expires: inDays(2) } });
    await sender.attemptNow(id, ', expires = now()');
    const message = await sender.becomes(id, 'Failed');
    expect(message).toMatchObject({ ...expired, num_attempts: 0, sent_at: null });
    expect(message.delivery_attempts).toMatchObject([{ status: 'Expiration' }]);
    expect(await postmesh.messagesTo(to)).toEqual([]);
  });
});

it('spec 2-messages §8 rule 4 expires alone: queued, sent at once', async () => {
  const schedule = { expires: inDays(1) };
  const { data } = ok(await sender.trySend([address()], { schedule }), 202);
  expect(data[0]).toMatchObject({ status: 'queued', schedule });
  await sender.becomes(data[0].id.slice(1, 37), 'Delivered');
});

describe('spec 2-messages §8 rule 5 the time of each check', () => {
  const operate = (own: Sender, action: string, body?: object) =>
    postmesh.operator(
      'POST',
      `/operator/domains/accounts/${own.account.id}/domains/${own.domain}/${action}`,
      body,
    );

  it('spec 2-messages §8 rule 5 content is rendered at acceptance: later changes of the template do not matter', async () => {
    const html = (text: string) => ({ content: { html: `<p>${text} {{ name }}</p>` }, publish: true });
    const from = { email: `news@${sender.domain}` };
    const template = { name: unique('t'), subject: 'Old {{ name }}', from, ...html('Old') };
    const { id: template_id } = ok(await sender.api('POST', '{A}/templates', template), 201);
    const to = address();
    const recipients = [{ email: to, substitutions: { name: 'Ann' } }];
    const body = { template_id, recipients, ...tomorrow() };
    const { data } = ok(await sender.api('POST', '{A}/messages/template', body), 202);
    ok(await sender.api('PUT', `{A}/templates/${template_id}`, { subject: 'New', ...html('New') }), 200);
    ok(await sender.api('DELETE', `{A}/templates/${template_id}`), 200);
    await sender.attemptNow(data[0].id.slice(1, 37));
    await eventually(async () => (await postmesh.messagesTo(to)).length).toBe(1);
    const [message] = await postmesh.messagesTo(to);
    expect(message?.subject).toBe('Old Ann');
    expect(await postmesh.messageText(message!.id)).toContain('Old Ann</p>');
  });

  it('spec 2-messages §8 rule 5 suppressions at acceptance and before each attempt', async () => {
    const suppress = (email: string) =>
      sender.api('POST', '{A}/suppressions', { email, domain: sender.domain, expires_at: inDays(1) });
    const [before, meanwhile] = [address(), address('greylist')];
    ok(await suppress(before), 201);
    const ended = await sender.send(before, tomorrow());
    expect((await sender.message(ended)).status).toBe('Suppressed');
    const tried = await sender.send(meanwhile);
    await sender.becomes(tried, 'Deferred');
    ok(await suppress(meanwhile), 201);
    // the worker's copy of the list has it
    const copied = 'select from delivery_worker.suppressions where recipient = $1';
    await eventually(async () => (await postmesh.sql(copied, [meanwhile])).length).toBe(1);
    await sender.attemptNow(tried);
    expect(await sender.becomes(tried, 'Suppressed')).toMatchObject({ num_attempts: 1 });
  });

  it('spec 2-messages §8 rule 5 a domain that was deleted meanwhile is Failed, and says why', async () => {
    const own = await Sender.make(postmesh);
    const to = address();
    const id = await own.send(to, tomorrow());
    ok(await own.api('DELETE', `{A}/domains/${own.domain}`), 200);
    await own.attemptNow(id);
    const message = await own.becomes(id, 'Failed');
    expect(message.delivery_attempts).toMatchObject([{ log: expect.stringContaining('was deleted') }]);
    expect(await postmesh.messagesTo(to)).toEqual([]);
  });

  it('spec 2-messages §8 rule 5 a domain that was paused meanwhile is a temporary failure; unpaused it sends', async () => {
    const own = await Sender.make(postmesh);
    const ownCalls = await own.webhook(receiver);
    const to = address();
    const id = await own.send(to, tomorrow());
    ok(await operate(own, 'pause', { reason: 'a test' }), 200);
    await own.attemptNow(id);
    const deferred = await own.becomes(id, 'Deferred');
    expect(deferred.delivery_attempts).toMatchObject([
      { status: 'TransientFailure', log: expect.stringContaining('is paused') },
    ]);
    expect(await postmesh.messagesTo(to)).toEqual([]);
    ok(await operate(own, 'unpause'), 200);
    await own.attemptNow(id);
    await own.becomes(id, 'Delivered');
    await eventually(() => typesOf(ownCalls(), id)).toEqual([
      'message.reception',
      'message.transient_error',
      'message.delivered',
    ]);
  });

  it('spec 2-messages §8 rule 5 a domain without valid DNS by then is a temporary failure', async () => {
    const own = await Sender.make(postmesh);
    const to = address();
    const id = await own.send(to, tomorrow());
    await publishZone(postmesh, own.domain, { records: [] });
    expect((await checkDns(postmesh, own.account, own.domain)).body.dns_valid).toBe(false);
    await own.attemptNow(id);
    const deferred = await own.becomes(id, 'Deferred');
    expect(deferred.delivery_attempts).toMatchObject([
      { status: 'TransientFailure', log: expect.stringContaining('are not valid') },
    ]);
    expect(await postmesh.messagesTo(to)).toEqual([]);
  });
});
