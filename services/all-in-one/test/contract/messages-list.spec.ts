import { beforeAll, describe, expect, it } from 'vitest';
import { sendMessage } from './families.js';
import {
  eventually,
  expectError,
  sharedInstallation,
  unique,
  type Account,
  type ApiKey,
  type HttpResponse,
} from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
let shop: string;
let corp: string;
/** Message-IDs by the outcome of the message, in the order in which they were sent */
const ids: Record<string, string> = {};
const gone = `${unique('gone')}@mail.test`;
const ann = `${unique('ann')}@mail.test`;

type Query = Record<string, string>;

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

function list(query: Query | string = {}, key: ApiKey = account.key): Promise<HttpResponse> {
  return postmesh.api(key, 'GET', `{A}/messages?${new URLSearchParams(query)}`);
}

/** Message-IDs of a page, newest first. */
async function found(query: Query | string, key?: ApiKey): Promise<string[]> {
  const { status, body } = await list(query, key);
  expect([status, body.object]).toEqual([200, 'list']);
  return body.data.map((one: { message_id: string }) => one.message_id);
}
/** The same, by the names under which the messages were sent. */
async function names(query: Query | string, key?: ApiKey): Promise<string[]> {
  const all = await found(query, key);
  return all.map((id) => Object.keys(ids).find((name) => ids[name] === id) ?? id);
}

async function send(name: string, to: string, more: object = {}, from = shop): Promise<void> {
  const { status, body } = await sendMessage(postmesh, account, { from, to: [to], more });
  expect([status, body.message]).toEqual([202, undefined]);
  ids[name] = body.data[0].id as string;
}

beforeAll(async () => {
  account = await postmesh.newAccount();
  shop = await postmesh.verifiedDomain(account);
  corp = await postmesh.verifiedDomain(account);
  const suppression = { email: gone, expires_at: inMs(3_600_000) };
  expect((await postmesh.api(account.key, 'POST', '{A}/suppressions', { body: suppression })).status).toBe(
    201,
  );
  await send('delivered', ann, { subject: 'Your Order A-17', tags: ['receipt'] });
  await send('bounced', `bounce-${ann}`, { subject: 'Your order A-18', tags: ['receipt', 'vip'] });
  await send('deferred', `defer-${ann}`, { subject: 'ÜBERSICHT 100%' });
  await send('suppressed', gone);
  await send('scheduled', ann, { schedule: { first_attempt: inMs(3_600_000) }, tags: ['Receipt'] });
  await send('sandboxed', ann, { sandbox: true, sandbox_result: 'bounce' });
  await send('canceled', ann, { schedule: { first_attempt: inMs(3_600_000) } });
  await send('corporate', ann, { from: { email: `hr@${corp}` } }, corp);
  const path = `{A}/messages/${encodeURIComponent(ids['canceled']!)}/cancel`;
  expect((await postmesh.api(account.key, 'DELETE', path)).status).toBe(200);
});

describe('the list of messages', () => {
  it('spec 2-messages §2.1 shows the status of each', async () => {
    await eventually(async () =>
      (await list()).body.data.map((one: { status: string }) => one.status),
    ).toEqual([
      'Delivered',
      'Canceled',
      'Sandbox Bounced',
      'Scheduled',
      'Suppressed',
      'Deferred',
      'Bounced',
      'Delivered',
    ]);
  });

  it('spec 2-messages §2.1 is newest first, without contents', async () => {
    const { body } = await list();
    expect(body.data.map(({ message_id }: { message_id: string }) => message_id)).toEqual(
      Object.values(ids).reverse(),
    );
    for (const item of body.data) {
      expect(item).not.toHaveProperty('content');
      expect(item).not.toHaveProperty('content_parsed');
    }
    expect(body.pagination).toEqual({ has_more: false });
    expect(await names('status=&sender=&recipient=&subject=&tags=&from_time=&to_time=&after=')).toHaveLength(
      8,
    );
  });

  it('spec 2-messages §2.1 by status: any of several, delivered ones include opened and clicked ones, unknown ones are refused', async () => {
    expect(await names({ status: 'Bounced' })).toEqual(['bounced']);
    expect(await names({ status: ' Scheduled, Canceled,,Sandbox Bounced' })).toEqual([
      'canceled',
      'sandboxed',
      'scheduled',
    ]);
    expect(await names({ status: 'Received' })).toEqual([]);
    expect(await names({ status: 'Delivered' })).toEqual(['corporate', 'delivered']);
    const setStatus = (status: string) =>
      postmesh.sql('update messages.messages set status = $2 where id = $1', [
        ids['delivered']!.slice(1, 37),
        status,
      ]);
    for (const [status, opened, clicked] of [
      ['Opened', ['delivered'], []],
      ['Clicked', ['delivered'], ['delivered']],
    ] as const) {
      await setStatus(status);
      expect(await names({ status: 'Delivered' })).toEqual(['corporate', 'delivered']);
      expect(await names({ status: 'Opened' })).toEqual(opened);
      expect(await names({ status: 'Clicked' })).toEqual(clicked);
    }
    await setStatus('Delivered');
    for (const [status, wrong] of [
      ['Delivered,sent', 'sent'],
      ['delivered', 'delivered'],
    ] as const) {
      const text = expect.stringContaining(`invalid status '${wrong}' (one of Received, Scheduled, `);
      expectError(await list({ status }), 400, text);
    }
  });

  it('spec 2-messages §2.1 a scheduled message counts as received once it is due', async () => {
    const id = ids['scheduled']!.slice(1, 37);
    // only the row: the delivery keeps its time
    const setTime = (at: string) =>
      postmesh.sql('update messages.send_requests set first_attempt = $2 where id = $1', [id, at]);
    await setTime(inMs(-1_000));
    expect(await names({ status: 'Received' })).toEqual(['scheduled']);
    expect(await names({ status: 'Scheduled' })).toEqual([]);
    await setTime(inMs(3_600_000));
    expect(await names({ status: 'Scheduled' })).toEqual(['scheduled']);
  });

  it('spec 2-messages §2.1 by sender and recipient, exactly and in any spelling', async () => {
    expect(await names({ sender: `HR@${corp.toUpperCase()}` })).toEqual(['corporate']);
    expect(await names({ sender: `r@${corp}` })).toEqual([]);
    expect(await names({ recipient: ` ${gone.toUpperCase()} ` })).toEqual(['suppressed']);
    expect(await names({ recipient: 'no address' })).toEqual([]);
  });

  it('spec 2-messages §2.1 by part of the subject, upper and lower case alike, nothing in it is special', async () => {
    expect(await names({ subject: 'order a-1' })).toEqual(['bounced', 'delivered']);
    expect(await names({ subject: 'übersicht' })).toEqual(['deferred']);
    expect(await names({ subject: '0%' })).toEqual(['deferred']);
    expect(await names({ subject: '_' })).toEqual([]);
    expect(await names({ subject: 'R' })).toEqual(['deferred', 'bounced', 'delivered']);
  });

  it('spec 2-messages §2.1 by Message-ID, with or without brackets: all messages that share it', async () => {
    const id = ids['bounced']!;
    expect(await names({ message_id_header: id })).toEqual(['bounced']);
    expect(await names({ message_id_header: id.slice(1, -1) })).toEqual(['bounced']);
    expect(await names({ message_id_header: id, status: 'Delivered' })).toEqual([]);
    expect(await names({ message_id_header: '<other@mail.test>' })).toEqual([]);
    expect(await names({ message_id_header: 'nonsense' })).toEqual([]);
    const to = [`${unique('a')}@mail.test`, `${unique('b')}@mail.test`, `${unique('c')}@mail.test`];
    const other = await postmesh.newAccount();
    const from = await postmesh.verifiedDomain(other);
    const { body } = await sendMessage(postmesh, other, { from, to });
    const shared = await list({ message_id_header: body.data[0].id }, other.key);
    expect(shared.body.data.map(({ recipient }: { recipient: string }) => recipient).sort()).toEqual(
      to.sort(),
    );
    expect(await names({ message_id_header: body.data[0].id })).toEqual([]);
  });

  it('spec 2-messages §2.1 of a regular send, each message by its own Message-ID and its own rendered subject', async () => {
    const other = await postmesh.newAccount();
    const from = await postmesh.verifiedDomain(other);
    const recipients = ['one', 'two', 'three'].map((word) => ({
      email: `${unique(word)}@mail.test`,
      substitutions: { word },
    }));
    const body = {
      from: { email: `news@${from}` },
      recipients,
      subject: 'Number {{ word }}',
      text_content: 'Hello',
    };
    const sent = await postmesh.api(other.key, 'POST', '{A}/messages', { body });
    expect([sent.status, sent.body.message]).toEqual([202, undefined]);
    const all: string[] = sent.body.data.map(({ id }: { id: string }) => id);
    expect(await found({}, other.key)).toEqual([...all].reverse());
    expect(await found({ subject: 'number TWO' }, other.key)).toEqual([all[1]]);
    expect(await found({ subject: 'number' }, other.key)).toHaveLength(3);
    expect(await found({ subject: 'word' }, other.key)).toEqual([]);
    for (const id of all) expect(await found({ message_id_header: id }, other.key)).toEqual([id]);
  });

  it('spec 2-messages §2.1 by tags: any of up to 20', async () => {
    expect(await names({ tags: 'vip' })).toEqual(['bounced']);
    expect(await names({ tags: 'vip, receipt,none' })).toEqual(['bounced', 'delivered']);
    const twenty = Array.from({ length: 20 }, (_, nth) => `t${nth}`);
    expect(await names({ tags: twenty.join() })).toEqual([]);
    expectError(await list({ tags: [...twenty, 'vip'].join() }), 400);
  });

  it('spec 2-messages §2.1 by time: from is inclusive, to is exclusive, and anything else is refused', async () => {
    const { body } = await list({ status: 'Bounced' });
    const at = body.data[0].created_at as string;
    const next = new Date(Date.parse(at) + 1).toISOString();
    expect(await names({ from_time: at, to_time: next })).toEqual(['bounced']);
    expect(await names({ to_time: at })).toEqual(['delivered']);
    expect(await names({ from_time: next })).not.toContain('bounced');
    const offset = new Date(Date.parse(at) + 7_200_000).toISOString().replace('Z', '+02:00');
    expect(await names({ from_time: offset, to_time: next.replace('Z', '000000Z') })).toEqual(['bounced']);
    const eternity = { from_time: '0000-01-01T00:00:00Z', to_time: '9999-12-31T23:59:59-23:59' };
    expect(await names(eternity)).toHaveLength(8);
    expect(await names({ from_time: eternity.to_time, to_time: eternity.from_time })).toEqual([]);
    const invalid = (name: string) => `invalid ${name}, provide a valid RFC3339 time string`;
    expectError(await list({ from_time: 'yesterday' }), 400, invalid('from_time'));
    expectError(await list({ to_time: '2026-01-05' }), 400, invalid('to_time'));
  });

  it('spec 2-messages §2.1 filters are joined by AND', async () => {
    expect(
      await names({ subject: 'order', tags: 'receipt', status: 'Bounced', recipient: `bounce-${ann}` }),
    ).toEqual(['bounced']);
    expect(await names({ subject: 'order', status: 'Canceled' })).toEqual([]);
  });

  it('spec 2-messages §2.1 page by page with filters, there and back', async () => {
    const query = { recipient: ann, limit: '2' };
    const first = (await list(query)).body;
    const second = (await list({ ...query, after: first.pagination.next_cursor })).body;
    const all = ['corporate', 'canceled', 'sandboxed', 'scheduled', 'delivered'];
    const namesOf = (page: HttpResponse['body']) =>
      page.data.map(
        (one: { message_id: string }) => Object.entries(ids).find(([, id]) => id === one.message_id)?.[0],
      );
    expect([namesOf(first), first.pagination.has_more]).toEqual([all.slice(0, 2), true]);
    expect([namesOf(second), second.pagination.has_more]).toEqual([all.slice(2, 4), true]);
    const third = (await list({ ...query, after: second.pagination.next_cursor })).body;
    expect([namesOf(third), third.pagination.has_more]).toEqual([all.slice(4), false]);
    expect(third.pagination).not.toHaveProperty('next_cursor');
    const back = (await list({ ...query, before: third.pagination.previous_cursor })).body;
    expect([namesOf(back), back.pagination.has_more]).toEqual([all.slice(2, 4), true]);
    const start = (await list({ ...query, before: back.pagination.previous_cursor })).body;
    expect(namesOf(start)).toEqual(all.slice(0, 2));
    expect(start.pagination).not.toHaveProperty('previous_cursor');
    expectError(await list({ limit: '101' }), 400, 'limit must be between 1 and 100');
    expectError(await list({ after: 'x', before: 'y' }), 400, 'after and before are mutually exclusive');
  });

  it('spec 2-messages §2.1 a key for a domain sees messages of that sending domain alone', async () => {
    const key = await postmesh.newKey(account, { scopes: [`messages:read:{${corp}}`] });
    expect(await names({}, key)).toEqual(['corporate']);
    expect(await names({ status: 'Bounced' }, key)).toEqual([]);
    expect(await names({ message_id_header: ids['bounced']! }, key)).toEqual([]);
    expect(await names({ sender: `hr@${corp}` }, key)).toEqual(['corporate']);
    expectError(
      await list({ sender: `news@${shop}` }, key),
      403,
      'sender domain not found in api key scopes',
    );
    const both = await postmesh.newKey(account, {
      scopes: [`messages:read:{${corp}}`, `messages:read:{${shop}}`],
    });
    expect(await names({}, both)).toHaveLength(8);
    const none = await postmesh.newKey(account, { scopes: ['messages:send:all', 'messages:cancel:all'] });
    expectError(await list({}, none), 403, 'insufficient permissions for the required scope');
  });
});
