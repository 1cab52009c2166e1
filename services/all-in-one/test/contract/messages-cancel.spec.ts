import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { sendMessage } from './families.js';
import {
  eventually,
  expectError,
  sharedInstallation,
  unique,
  uniqueDomain,
  type Account,
  type ApiKey,
  type HttpResponse,
} from './harness.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let account: Account;
let domain: string;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
});
afterAll(() => receiver?.close());

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const later = () => ({ schedule: { first_attempt: inMs(3_600_000) } });
const someone = (name = 'ann') => `${name}-${unique('c')}@mail.test`;

const cancel = (reference: string, key: ApiKey = account.key): Promise<HttpResponse> =>
  postmesh.api(key, 'DELETE', `{A}/messages/${encodeURIComponent(reference)}/cancel`);
const message = async (reference: string) =>
  (await postmesh.api(account.key, 'GET', `{A}/messages/${encodeURIComponent(reference)}`)).body;
const becomes = (reference: string) => eventually(async () => (await message(reference)).status, 20_000);
async function sharing(messageId: string): Promise<{ id: string; status: string }[]> {
  const path = `{A}/messages?message_id_header=${encodeURIComponent(messageId)}`;
  return (await postmesh.api(account.key, 'GET', path)).body.data;
}

/** @returns the Message-ID that the recipients share */
async function send(to: string | string[], more: object = {}): Promise<string> {
  const { status, body } = await sendMessage(postmesh, account, { from: domain, to: [to].flat(), more });
  expect([status, body.message]).toEqual([202, undefined]);
  return body.data[0].id as string;
}

const CANCELLED = 'message cancelled successfully';
const REFUSED = 'message cannot be cancelled';

describe('a cancel', () => {
  it('spec 2-messages §2.3 rule 1 before the first attempt: scheduled messages, by id and by Message-ID, in the sandbox as well', async () => {
    const scheduled = await send(someone(), later());
    const done = await cancel(scheduled);
    expect([done.status, done.body]).toEqual([200, { message: CANCELLED }]);
    expect(await message(scheduled)).toMatchObject({
      status: 'Canceled',
      sent_at: null,
      delivered_at: null,
      num_attempts: 0,
      bounce_classification: '',
      delivery_attempts: [{ status: 'Cancellation', log: expect.any(String), time: expect.any(String) }],
    });
    const sandboxed = await send(someone(), { ...later(), sandbox: true });
    expect((await cancel(sandboxed.slice(1, 37).toUpperCase())).status).toBe(200);
    expect(await message(sandboxed)).toMatchObject({ status: 'Canceled' });
  });

  it('spec 2-messages §2.3 rule 1 received and not picked up: mail of a suspended account', async () => {
    const held = await postmesh.newAccount();
    const from = await postmesh.verifiedDomain(held);
    const to = someone();
    const { body } = await sendMessage(postmesh, held, { from, to: [to], more: later() });
    const path = `{A}/messages/${encodeURIComponent(body.data[0].id)}`;
    await postmesh.operator('POST', `/operator/accounts/accounts/${held.id}/suspend`, { reason: 'test' });
    // it is due
    await postmesh.sql('update messages.send_requests set first_attempt = now() where id = $1', [
      body.data[0].id.slice(1, 37),
    ]);
    expect((await postmesh.api(held.key, 'GET', path)).body.status).toBe('Received');
    expect((await postmesh.api(held.key, 'DELETE', `${path}/cancel`)).status).toBe(200);
    await postmesh.operator('POST', `/operator/accounts/accounts/${held.id}/resume`);
    await postmesh.sql('update delivery_worker.deliveries set due_at = now() where id = $1', [
      body.data[0].id.slice(1, 37),
    ]);
    await pause(1_500);
    expect((await postmesh.api(held.key, 'GET', path)).body.status).toBe('Canceled');
    expect(await postmesh.messagesTo(to)).toEqual([]);
  });

  it('spec 2-messages §2.3 rule 2 later or twice is refused, an unknown message is not found', async () => {
    const scheduled = await send(someone(), later());
    await cancel(scheduled);
    expectError(await cancel(scheduled), 400, REFUSED);
    const delivered = await send(someone());
    await becomes(delivered).toBe('Delivered');
    expectError(await cancel(delivered), 400, REFUSED);
    const deferred = await send(someone('defer'));
    await becomes(deferred).toBe('Deferred');
    expectError(await cancel(deferred), 400, REFUSED);
    expectError(await cancel('01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01'), 404, 'message not found');
    expectError(await cancel('nonsense'), 400, 'invalid message_id');
    const other = await postmesh.newAccount();
    expectError(await cancel(scheduled, other.key), 404, 'message not found');
  });

  it('spec 2-messages §2.3 needs the scope of the sending domain', async () => {
    const scheduled = await send(someone(), later());
    const another = uniqueDomain();
    await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: another } });
    for (const scopes of [['messages:send:all', 'messages:read:all'], [`messages:cancel:{${another}}`]]) {
      const key = await postmesh.newKey(account, { scopes });
      expectError(await cancel(scheduled, key), 403, 'insufficient permissions for the required scope');
    }
    const own = await postmesh.newKey(account, { scopes: [`messages:cancel:{${domain}}`] });
    expect((await cancel(scheduled, own)).status).toBe(200);
  });

  it('spec 2-messages §2.3 rule 3 a shared Message-ID cancels every record that still can be', async () => {
    const all = await send([someone(), someone(), someone()], later());
    const [third] = await sharing(all);
    expect((await cancel(third!.id)).status).toBe(200);
    expect((await cancel(all)).status).toBe(200);
    expect((await sharing(all)).map(({ status }) => status)).toEqual(['Canceled', 'Canceled', 'Canceled']);
    expectError(await cancel(all), 400, REFUSED);
  });

  it('spec 2-messages §2.3 rule 3 each message of a regular send is canceled alone', async () => {
    const to = [someone(), someone(), someone()];
    const body = {
      from: { email: `news@${domain}` },
      recipients: to.map((email) => ({ email })),
      subject: 'Hello',
      text_content: 'Hello',
      ...later(),
    };
    const sent = await postmesh.api(account.key, 'POST', '{A}/messages', { body });
    expect([sent.status, sent.body.message]).toEqual([202, undefined]);
    const ids: string[] = sent.body.data.map(({ id }: { id: string }) => id);
    expect((await cancel(ids[1]!)).status).toBe(200);
    const statuses = await Promise.all(ids.map(async (id) => (await message(id)).status));
    expect(statuses).toEqual(['Scheduled', 'Canceled', 'Scheduled']);
  });

  it('spec 2-messages §2.3 rule 4 sends no event', async () => {
    const flags = ['reception', 'delivered', 'transient_error', 'failed', 'bounced', 'suppressed'];
    const hook = {
      ...{ name: 'All', url: receiver.url, scope: 'global' },
      ...Object.fromEntries(flags.map((flag) => [`on_${flag}`, true])),
    };
    const { status, body } = await postmesh.api(account.key, 'POST', '{A}/webhooks', { body: hook });
    expect(status).toBe(201);
    const canceled = await send(someone(), later());
    await cancel(canceled);
    const next = await send(someone());
    await becomes(next).toBe('Delivered');
    const calls = () =>
      receiver.requests
        .map((request) => JSON.parse(request.body.toString()))
        .filter(({ webhook_id }) => webhook_id === body.id)
        .map(({ type, data }) => `${type} ${data.message_id_header === canceled ? 'canceled' : 'next'}`)
        .sort();
    await eventually(calls).toEqual([
      'message.delivered next',
      'message.reception canceled',
      'message.reception next',
    ]);
  });

  it('spec 2-messages §2.3 rule 4 against pick-ups that come at the same moment: exactly one of both happens to each message', async () => {
    const count = 60;
    const who = unique('race');
    const sent: { id: string; to: string }[] = [];
    for (let nth = 0; nth < count; nth += 15) {
      const batch = Array.from({ length: 15 }, async (_, at) => {
        const to = `${who}-${nth + at}@d${at % 5}.test`;
        return { id: await send(to, later()), to };
      });
      sent.push(...(await Promise.all(batch)));
    }
    const ids = sent.map(({ id }) => id.slice(1, 37));
    const rows = () => postmesh.sql('select from delivery_worker.deliveries where id = any($1)', [ids]);
    await eventually(rows).toHaveLength(count);
    await postmesh.sql(
      `update delivery_worker.deliveries set due_at = now() + interval '1 second' where id = any($1)`,
      [ids],
    );
    // cancels begin before the messages are due, and end after their pick-up
    const canceled = await Promise.all(
      sent.map(async ({ id, to }, nth) => {
        await pause(nth * 40);
        const { status, body } = await cancel(id);
        expect([CANCELLED, REFUSED]).toContain(body.message);
        return status === 200 ? to : undefined;
      }),
    );
    const isCanceled = (to: string) => canceled.includes(to);
    await eventually(async () => {
      const statuses = await Promise.all(sent.map(async ({ id }) => (await message(id)).status));
      return statuses.filter((status) => status !== 'Canceled' && status !== 'Delivered');
    }, 30_000).toEqual([]);
    const arrived = (await postmesh.messagesTo(who)).flatMap(({ to }) => to).sort();
    expect(arrived).toEqual(
      sent
        .map(({ to }) => to)
        .filter((to) => !isCanceled(to))
        .sort(),
    );
    for (const { id, to } of sent) {
      expect([to, (await message(id)).status]).toEqual([to, isCanceled(to) ? 'Canceled' : 'Delivered']);
    }
  });
});
