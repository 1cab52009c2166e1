import { createHmac } from 'node:crypto';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from '@postmesh/testing';
import { eventually, sharedInstallation, unique, uniqueDomain, type Account } from './harness.js';
import { ok } from './sender.js';

// A first call is made at once; the second call of a failed delivery follows after a second.
const CALL_MS = 60_000;

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let account: Account;
let domain: string;

beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(() => receiver?.close());
beforeEach(async () => {
  account = await postmesh.newAccount();
  domain = await newDomain();
  receiver.respondWith({});
});

async function newDomain(): Promise<string> {
  const name = uniqueDomain('in');
  ok(await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: name } }), 201);
  return name;
}

interface Route {
  id: string;
  secret: string;
}
const on = (method: string, { id }: Pick<Route, 'id'>, body?: object, rest = '') =>
  postmesh.api(account.key, method, `{A}/routes/${id}${rest}`, { body });
const newRoute = async (recipient: string, more: object = {}): Promise<Route> => {
  const body = { name: 'Route', url: `${receiver.url}/${unique('in')}`, recipient, ...more };
  return ok(await postmesh.api(account.key, 'POST', '{A}/routes', { body }), 201);
};

interface Call {
  type: string;
  route_id: string;
  data: Record<string, unknown> & { to: string };
}
const isOf =
  ({ id }: Route) =>
  ({ body }: ReceivedRequest) =>
    body.includes(id);
const read = ({ body }: ReceivedRequest): Call => JSON.parse(body.toString());
/** Waits for this number of calls of a route. @returns them in their order */
const calls = async (route: Route, count: number): Promise<ReceivedRequest[]> =>
  [...(await receiver.waitFor(count, { where: isOf(route), timeoutMs: CALL_MS }))].filter(isOf(route));
/** local parts with a route call so far, sorted */
const calledFor = (route: Route): string[] =>
  receiver.requests
    .filter(isOf(route))
    .map((request) => read(request).data.to.split('@')[0] ?? '')
    .sort();
/** A message for a second route comes last, so that no call of the first is still on its way. */
async function nothingMoreFor(route: Route, expected: readonly string[]): Promise<void> {
  const end = await newRoute(`the-end@${domain}`);
  await mail([`the-end@${domain}`]);
  await calls(end, 1);
  expect(calledFor(route).filter((local) => local !== 'the-end')).toEqual(expected);
}

/** Sends to the MX host as any other server does. @throws the error of nodemailer when it is refused */
async function mail(to: readonly string[], more: SendMailOptions = {}): Promise<void> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: postmesh.credentials.smtp.mx_port,
    tls: { rejectUnauthorized: false },
  });
  try {
    await transport.sendMail({
      from: 'Zoe <zoe@mail.test>',
      to: [...to],
      envelope: { from: 'zoe@mail.test', to: [...to] },
      subject: 'Hello',
      text: 'Hello',
      ...more,
    });
  } finally {
    transport.close();
  }
}
const refused = (to: string) =>
  expect(mail([to])).rejects.toMatchObject({
    responseCode: 550,
    response: expect.stringMatching(/^550 5\.1\.1 /),
  });

const isRefused = (to: string): Promise<boolean> =>
  mail([to]).then(
    () => false,
    ({ responseCode }: { responseCode?: number }) => responseCode === 550,
  );

describe('spec 2-messages §16 rule 2 which routes are called', () => {
  it('§13.3 rule 1, §13.3 rule 3 by pattern, letter case ignored, plus-addresses literally', async () => {
    const [exact, wild] = [await newRoute(`Support@${domain}`), await newRoute(`ticket-*@${domain}`)];
    await mail([`sUPPORT@${domain.toUpperCase()}`, `TICKET-9@${domain}`]);
    const [call] = await calls(exact, 1);
    expect(read(call!)).toMatchObject({ type: 'message.routing', route_id: exact.id });
    expect(read(call!).data.to.toLowerCase()).toBe(`support@${domain}`);
    await calls(wild, 1);
    await refused(`support+x@${domain}`);
    await refused(`tickets@${domain}`);
  });

  it('§13.3 rule 4 one without a recipient takes every domain of the account, and of no other', async () => {
    const every = await newRoute('');
    const stranger = await postmesh.newAccount();
    const theirs = uniqueDomain('theirs');
    ok(await postmesh.api(stranger.key, 'POST', '{A}/domains', { body: { domain: theirs } }), 201);
    await refused(`c@${theirs}`);
    const other = await newDomain();
    await mail([`a@${domain}`]);
    await mail([`b@${other}`]);
    await calls(every, 2);
    expect(calledFor(every)).toEqual(['a', 'b']);
  });

  it('§13.4 rule 3 all that match, each signed with its own secret', async () => {
    const routes = [await newRoute(`a@${domain}`), await newRoute(`*@${domain}`), await newRoute('')];
    await mail([`a@${domain}`]);
    const seen = [];
    for (const route of routes) {
      const [{ headers, body }] = (await calls(route, 1)) as [ReceivedRequest];
      const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
      const mac = createHmac('sha256', route.secret)
        .update(`${String(id)}.${String(timestamp)}.`)
        .update(body);
      expect(headers['webhook-signature']).toBe(`v1,${mac.digest('base64')}`);
      expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
      seen.push(id);
    }
    expect(new Set(seen).size).toBe(3);
  });

  it('§13.4 rule 5 a disabled route gets nothing; mail of that time is not kept for it', async () => {
    const route = await newRoute(`a*@${domain}`);
    const other = await newRoute(`*@${domain}`, { name: 'Other' });
    ok(await on('PUT', route, { enabled: false }), 200);
    await mail([`a1@${domain}`]);
    // it was matched while the route was disabled
    await calls(other, 1);
    ok(await on('PUT', route, { enabled: true }), 200);
    await mail([`a2@${domain}`]);
    await calls(route, 1);
    await nothingMoreFor(route, ['a2']);
  });

  it('§13.4 rule 2 mail is taken from the create of a route on until it is deleted', async () => {
    await refused(`x@${domain}`);
    const route = await newRoute(`x@${domain}`);
    await mail([`x@${domain}`]);
    ok(await on('DELETE', route), 200);
    // the receiver of an address is cached for two seconds
    await eventually(() => isRefused(`x@${domain}`)).toBe(true);
  });
});

describe('§13.4 rule 4 grouping', () => {
  it('§13.4 rule 4, spec 2-messages §16 rule 3 one call per recipient, To, Cc and Bcc alike, or per message', async () => {
    const [each, grouped] = [
      await newRoute(`*@${domain}`),
      await newRoute(`*@${domain}`, { group_by_message_id: true }),
    ];
    const [to, cc, bcc] = [`to@${domain}`, `cc@${domain}`, `bcc@${domain}`];
    const messageId = `<${unique('id')}@mail.test>`;
    const headers = { to, cc, messageId };
    await mail([to, cc, bcc], headers);
    await mail([`late@${domain}`], { ...headers, to, cc });
    await calls(each, 4);
    expect(calledFor(each)).toEqual(['bcc', 'cc', 'late', 'to']);
    await calls(grouped, 1);
    await nothingMoreFor(grouped, ['to']);
  });
});

describe('spec 2-messages §16 the calls of a route', () => {
  const REPLY =
    'Works.\r\n\r\nOn Mon, Jan 5, 2026 at 11:00 AM Bot <bot@shop.test> wrote:\r\n> Does it work?\r\n';
  const REPLY_WITH_FILES: SendMailOptions = {
    subject: 'Re: ticket 9',
    text: REPLY,
    html: '<p>Works.</p>',
    headers: { 'X-Mailer': 'M' },
    attachments: [
      { filename: 'shot.png', content: Buffer.from('shot'), contentType: 'image/png' },
      {
        cid: 'inline1',
        content: Buffer.from('inline'),
        contentType: 'image/gif',
        contentDisposition: 'inline',
      },
    ],
  };

  it('spec 2-messages §16 rule 5 strip_replies gives the new text apart, and alters no body', async () => {
    const [strips, plain] = [
      await newRoute(`*@${domain}`, { strip_replies: true }),
      await newRoute(`*@${domain}`),
    ];
    await mail([`a@${domain}`], REPLY_WITH_FILES);
    const data = async (route: Route) => read((await calls(route, 1))[0]!).data;
    const [stripped, whole] = [await data(strips), await data(plain)];
    expect([stripped['reply_from_plain_body'], whole['reply_from_plain_body']]).toEqual(['Works.', '']);
    for (const { plain_body, html_body } of [stripped, whole] as Record<string, string>[]) {
      expect(plain_body?.replaceAll('\r\n', '\n').trim()).toBe(REPLY.replaceAll('\r\n', '\n').trim());
      expect(html_body?.trim()).toBe('<p>Works.</p>');
    }
  });

  it('spec 2-messages §16 rule 6 attachments and headers are sent to the routes that request them', async () => {
    const [full, bare] = [
      await newRoute(`*@${domain}`, { attachments: true, headers: true }),
      await newRoute(`*@${domain}`),
    ];
    await mail([`a@${domain}`], REPLY_WITH_FILES);
    const { data } = read((await calls(full, 1))[0]!);
    const files = data['attachments'] as { filename: string; content_id: string; data: string }[];
    expect(files.map((file) => [file.content_id, Buffer.from(file.data, 'base64').toString()])).toEqual([
      ['', 'shot'],
      ['inline1', 'inline'],
    ]);
    expect(files[0]).toMatchObject({ filename: 'shot.png', content_type: 'image/png' });
    expect(data['headers']).toMatchObject({ Subject: 'Re: ticket 9', 'X-Mailer': 'M' });
    const other = read((await calls(bare, 1))[0]!).data;
    expect(other['attachments']).toEqual([]);
    expect(other).not.toHaveProperty('headers');
  });
});

describe('spec 2-messages §16 rule 7 counters', () => {
  it('§13.5 rule 3 move per attempt; failures for five days disable the route and mail the members, and its missed calls can be recovered', async () => {
    const route = await newRoute(`*@${domain}`);
    await mail([`first@${domain}`]);
    await eventually(async () => (await on('GET', route)).body).toMatchObject({
      success_count: 1,
      error_count: 0,
      last_request_at: expect.any(String),
    });
    receiver.respondWith({ status: 500 });
    await mail([`lost@${domain}`]);
    await eventually(async () => (await on('GET', route)).body.errors_since_last_success).toBeGreaterThan(0);
    // five days later
    await postmesh.sql(
      `update webhooks.routes set failing_since = now() - interval '6 days', errors_since_last_success = 20 where id = $1`,
      [route.id],
    );
    await mail([`last@${domain}`]);
    await eventually(async () => (await on('GET', route)).body.enabled, 60_000).toBe(false);
    await eventually(async () =>
      (await postmesh.messagesTo(account.ownerEmail)).map(({ subject }) => subject),
    ).toContain(`The route Route of ${account.name} was disabled`);
    await eventually(() => isRefused(`x@${domain}`)).toBe(true);
    receiver.respondWith({});
    receiver.clear();
    const enabled = ok(await on('PUT', route, { enabled: true }), 200);
    expect(enabled).toMatchObject({ enabled: true, errors_since_last_success: 0 });
    await mail([`again@${domain}`]);
    await eventually(() => calledFor(route)).toEqual(['again']);
    expect(ok(await on('POST', route, {}, '/recover'), 202)).toEqual({ message: 'recovery started' });
    await eventually(() => calledFor(route)).toEqual(['again', 'last', 'lost']);
  });
});

it('spec 2-messages §21 trigger posts a sample that is signed as usual', async () => {
  const route = await newRoute(`ticket-*@${domain}`, { headers: true });
  expect((await on('POST', route, undefined, '/trigger')).status).toBe(202);
  const [call] = await calls(route, 1);
  const { headers, body } = call!;
  expect(read(call!)).toMatchObject({
    type: 'message.routing',
    data: { to: `ticket-sample@${domain}`, attachments: [], headers: { Subject: 'A sample message' } },
  });
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  const mac = createHmac('sha256', route.secret).update(signed).update(body).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${mac}`);
  await eventually(async () => (await on('GET', route)).body.success_count).toBe(1);
});
