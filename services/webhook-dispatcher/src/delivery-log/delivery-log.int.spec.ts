import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId, type Principal } from '@postmesh/contracts';
import { pageSql } from '@postmesh/http';
import { memberOf } from '@postmesh/service-testing';
import { rowsRead, startHttpReceiver, testDatabase, type HttpReceiver } from '@postmesh/testing';
import { startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';
import { deliveriesOf } from './endpoint-deliveries.js';

const database = testDatabase();
let under: DispatcherUnderTest;
let receiver: HttpReceiver;

beforeAll(async () => {
  under = await startDispatcher(database.url, { logLevel: 'silent', webhookRetries: [0.1] });
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await under.stop();
  await receiver.close();
});
afterEach(() => {
  receiver.clear();
  receiver.respondWith({});
});

/** A webhook or a route of a new account, and its requests in the console. */
function endpoint(target: 'webhook' | 'route' = 'webhook', state: 'enabled' | 'disabled' = 'enabled') {
  const [accountId, id] = [newId(), newId()];
  const about = { endpoint_id: id, target, account_id: accountId, name: 'shop', host: 'shop.test' };
  under.standings.push({ ...about, state, standing: null, to_do: null });
  const ask =
    (method: 'GET' | 'POST') =>
    (rest: string, { by = memberOf(accountId), body }: { by?: Principal; body?: object } = {}) =>
      under.call(method, `/console/api/endpoints/${id}${rest}`, {
        principal: by,
        ...(body && { body }),
      });
  const request = (more: object = {}) => under.request(receiver.url, { webhookId: id, accountId, ...more });
  return { id, accountId, get: ask('GET'), post: ask('POST'), request };
}

/** Publishes it, and waits for its end. */
async function made(event: ReturnType<DispatcherUnderTest['request']>): Promise<string> {
  await under.bus.publish([event]);
  await under.ended(event.data.delivery_id);
  return event.data.delivery_id;
}

describe('the deliveries of an endpoint', () => {
  it('are listed newest first, by state, with request and answers of each', async () => {
    const hook = endpoint();
    const good = await made(hook.request({ body: '{"a":"é"}' }));
    receiver.respondWith({ status: 503, body: 'out of paper' });
    const bad = await made(hook.request({ eventType: 'message.bounced' }));
    const later = hook.request({ dueAt: new Date(Date.now() + 3_600_000) });
    await under.bus.publish([later]);
    const ids = async (query: string) =>
      (await hook.get(`/deliveries${query}`)).body.data.map(({ id }: { id: string }) => id);
    await expect.poll(() => ids('?state=waiting')).toEqual([later.data.delivery_id]);
    expect(await ids('')).toEqual([bad, good]);
    expect(await ids('?state=failed')).toEqual([bad]);
    const { body: first } = await hook.get('/deliveries?limit=1');
    expect(first).toMatchObject({
      data: [{ id: bad, state: 'dropped', status: 503, attempts: 2, event_type: 'message.bounced' }],
      pagination: { has_more: true },
    });
    expect(await ids(`?limit=1&after=${first.pagination.next_cursor}`)).toEqual([good]);
    expect((await hook.get(`/deliveries/${good}`)).body).toMatchObject({
      state: 'succeeded',
      request_body: '{"a":"é"}',
      body_omitted: null,
      can_be_replayed: true,
      tries: [{ attempt: 1, status: 200, outcome: 'succeeded' }],
    });
    const { tries } = (await hook.get(`/deliveries/${bad}`)).body;
    expect(tries).toMatchObject([
      { attempt: 1, outcome: 'retried', response: 'out of paper' },
      { attempt: 2, outcome: 'dropped', status: 503 },
    ]);
    const { headers } = receiver.requests.at(-1)!;
    for (const [name, value] of Object.entries(tries.at(-1).request_headers))
      expect(headers[name], name).toBe(value);
    expect(Object.keys(tries[0].request_headers)).not.toContain('webhook-signature');
  });

  it('show no contents to a role that reads none', async () => {
    const hook = endpoint();
    const id = await made(hook.request());
    const { body } = await hook.get(`/deliveries/${id}`, { by: memberOf(hook.accountId, 'Analyst') });
    expect(body).toMatchObject({ request_body: null, body_omitted: 'role', tries: [{ response: null }] });
  });

  it('of a route name the message that its body is made of', async () => {
    const route = endpoint('route');
    const message_id = newId();
    under.bodies.of = () => undefined;
    const event = route.request({
      route: { message_id, to: 'a@shop.test', occurred_at: new Date().toISOString() },
    });
    await under.bus.publish([event]);
    const { delivery_id } = event.data;
    await expect
      .poll(async () => (await route.get(`/deliveries/${delivery_id}`)).body)
      .toMatchObject({ state: 'stopped', request_body: null, body_omitted: 'of_message', message_id });
  });

  it('are found by their message, over all endpoints, repetitions and those that wait among them', async () => {
    const [hook, messageId] = [endpoint(), newId()];
    const { accountId } = hook;
    const of = (account: string, id = messageId) =>
      under.call('GET', `/console/api/message-calls?message_id=${id}`, { principal: memberOf(account) });
    const ids = async () => (await of(accountId)).body.data.map(({ id }: { id: string }) => id);
    const first = await made(hook.request({ messageId }));
    await made(hook.request({ messageId: newId() }));
    under.bodies.of = () => undefined;
    const route = { message_id: messageId, to: 'a@shop.test', occurred_at: new Date().toISOString() };
    const routed = under.request(receiver.url, { accountId, route });
    await under.bus.publish([routed]);
    await expect.poll(ids).toEqual([first, routed.data.delivery_id]);
    const missed = hook.request({ messageId, missed: true });
    const later = hook.request({ messageId, dueAt: new Date(Date.now() + 3_600_000) });
    await under.bus.publish([missed, later]);
    const { delivery_id: waits } = later.data;
    await expect.poll(ids).toEqual([first, routed.data.delivery_id, missed.data.delivery_id, waits]);
    const again = (await hook.post(`/deliveries/${first}/replay`)).body.delivery_id;
    await under.ended(again);
    const { body } = await of(accountId);
    expect(body.data).toContainEqual(
      expect.objectContaining({
        id: again,
        replay_of: first,
        endpoint_id: hook.id,
        state: 'succeeded',
        status: 200,
      }),
    );
    expect((await of(newId())).body.data).toEqual([]);
    expect((await of(accountId, 'none')).status).toBe(400);
  });

  it('belong to one account, and need the scopes of webhooks', async () => {
    const [hook, other] = [endpoint(), endpoint()];
    const id = await made(hook.request());
    const reads = ['/deliveries', `/deliveries/${id}`, '/replays', `/replays/${newId()}`];
    const wanted = { kind: 'all', since: new Date().toISOString() };
    const writes = [`/deliveries/${id}/replay`, '/replays'];
    const foreign = memberOf(other.accountId, 'Administrator');
    for (const path of reads) expect((await hook.get(path, { by: foreign })).status, path).toBe(404);
    for (const path of writes)
      expect((await hook.post(path, { by: foreign, body: wanted })).status, path).toBe(404);
    expect((await other.get(`/deliveries/${id}`)).status).toBe(404);
    expect((await other.post(`/deliveries/${id}/replay`)).status).toBe(404);
    const biller = memberOf(hook.accountId, 'Billing Manager');
    for (const path of reads) expect((await hook.get(path, { by: biller })).status, path).toBe(403);
    const analyst = memberOf(hook.accountId, 'Analyst');
    for (const path of writes)
      expect((await hook.post(path, { by: analyst, body: wanted })).status, path).toBe(403);
    expect(receiver.requests).toHaveLength(1);
  });

  it('are found by an index, also failed ones among many that succeeded', async () => {
    const hook = endpoint();
    await under.database.query(
      `insert into ended_deliveries (id, account_id, target, endpoint_id, host, webhook_message_id, event_type,
         requested_at, ended_at, outcome, attempts)
       select gen_random_uuid(), $1, 'webhook', $2, 'shop.test', 'msg', 'message.delivered', now(),
         now() - make_interval(secs => nth), case when nth % 2000 = 0 then 'dropped' else 'succeeded' end, 1
       from generate_series(1, 20000) as nth`,
      [hook.accountId, hook.id],
    );
    await under.database.query('analyze ended_deliveries');
    for (const state of ['ended', 'failed'] as const) {
      const { text, parameters } = pageSql(deliveriesOf(hook.id, hook.accountId, state), { limit: 10 });
      expect(await rowsRead(under.database, text, [...parameters]), state).toBeLessThan(100);
    }
  });
});

describe('a repetition', () => {
  it('makes one delivery again, and all without success since a time, with counts', async () => {
    const hook = endpoint();
    receiver.respondWith({ status: 500 });
    const bad = await made(hook.request());
    receiver.clear();
    receiver.respondWith({});
    const again = await hook.post(`/deliveries/${bad}/replay`);
    expect(again.status).toBe(202);
    await under.ended(again.body.delivery_id);
    expect((await hook.get(`/deliveries/${bad}`)).body.recovered_at).not.toBeNull();
    receiver.respondWith({ status: 500 });
    await made(hook.request());
    receiver.clear();
    receiver.respondWith({});
    // each wait between two tries was skipped as a day
    const since = new Date(Date.now() - 6 * 86_400_000).toISOString();
    const begun = await hook.post('/replays', { body: { kind: 'recover', since } });
    expect([begun.status, begun.body]).toMatchObject([202, { state: 'running', since }]);
    await receiver.waitFor(1);
    await expect
      .poll(async () => (await hook.get(`/replays/${begun.body.id}`)).body)
      .toMatchObject({ replayed: 1, succeeded: 1, pending: 0 });
    expect((await hook.get('/replays')).body.data).toMatchObject([{ id: begun.body.id, pending: null }]);
    expect((await hook.post('/replays', { body: { kind: 'all', since } })).status).toBe(409);
    expect((await hook.post('/replays', { body: { kind: 'all' } })).status).toBe(400);
  });

  it('is refused while the endpoint is disabled', async () => {
    const hook = endpoint('webhook', 'disabled');
    const body = { kind: 'recover', since: new Date().toISOString() };
    const refused = await hook.post('/replays', { body });
    expect([refused.status, refused.body]).toEqual([409, { message: 'webhook is disabled' }]);
    expect((await hook.post(`/deliveries/${newId()}/replay`)).status).toBe(409);
  });
});
