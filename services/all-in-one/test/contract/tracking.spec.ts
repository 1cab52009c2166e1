import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { sendMessage } from './families.js';
import { eventually, expectError, sharedInstallation, unique, type Account } from './harness.js';
import { send as request } from './http-request.js';

const postmesh = sharedInstallation();
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const GMAIL = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';

let receiver: HttpReceiver;
let account: Account;
let domain: string;
let hook: string;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
  const body = {
    name: 'Opens',
    url: receiver.url,
    scope: 'global',
    on_opened: true,
    on_clicked: true,
  };
  hook = (await postmesh.api(account.key, 'POST', '{A}/webhooks', { body })).body.id;
});
afterAll(() => receiver?.close());

interface Arrived {
  id: string;
  html: string;
  text: string;
  raw: string;
  /** in the order of the HTML */
  pixels: string[];
  links: string[];
}

const HTML = [
  '<html><body><p><a href="https://shop.test/a?b=1&amp;c=2">one</a>',
  "<a class=x href='http://shop.test/two'>two</a>",
  '<a href=https://shop.test/unquoted>3</a><a href = "https://shop.test/spaces">4</a>',
  '<a href="mailto:help@shop.test">5</a><a href="shop.test/six">6</a><a href="{{ url }}">7</a>',
  '<a data-as-no-track href="https://shop.test/eight">8</a></p>',
  '<!--[if mso]><a href="https://shop.test/outlook">9</a><![endif]--></body></html>',
].join('\n');
const BOTH = { open: true, click: true };

/** A message to one recipient, as it arrived. */
async function sent(more: object = {}, from = domain, by = account): Promise<Arrived> {
  const email = `${unique('ann')}@mail.test`;
  const body = { html_content: HTML, tracking: BOTH, ...more };
  const { status, body: result } = await sendMessage(postmesh, by, { from, to: [email], more: body });
  expect(status).toBe(202);
  await eventually(() => postmesh.messagesTo(email), 30_000).toHaveLength(1);
  const [mail] = await postmesh.messagesTo(email);
  return { id: result.data[0].id, ...(await taken(await postmesh.messageText(mail!.id))) };
}

async function taken(raw: string): Promise<Omit<Arrived, 'id'>> {
  const { html = '', text = '' } = await PostalMime.parse(raw);
  return {
    html,
    text,
    raw,
    pixels: [...html.matchAll(/<img src="([^"]+\/o\/[\w-]+)"/g)].map(([, url]) => url!),
    links: [...html.matchAll(/href=["']([^"']+\/c\/[\w-]+)["']/g)].map(([, url]) => url!),
  };
}

interface Fetch {
  method?: string;
  agent?: string;
  ip?: string;
  headers?: Record<string, string>;
}

/** Requests a link of a message from the gateway, to which its host resolves. */
function fetched(
  url: string,
  { method = 'GET', agent = CHROME, ip = '198.51.100.7', headers = {} }: Fetch = {},
) {
  const { host, pathname } = new URL(url);
  return request({
    method,
    url: `${postmesh.url}${pathname}`,
    headers: { host, 'x-forwarded-for': ip, ...(agent === '' ? {} : { 'user-agent': agent }), ...headers },
  });
}

const message = async (id: string) =>
  (await postmesh.api(account.key, 'GET', `{A}/messages/${encodeURIComponent(id)}`)).body;
const counters = (id: string) =>
  eventually(async () => {
    const { status, open_count, click_count } = await message(id);
    return { status, open_count, click_count };
  });
const statusOf = (id: string) => eventually(async () => (await message(id)).status, 20_000);

/** A click within five seconds of the delivery counts as automatic: moves the delivery back by an hour. */
async function deliveredLongAgo(id: string, status = 'Delivered'): Promise<void> {
  await statusOf(id).toBe(status);
  await postmesh.sql(
    `update messages.messages set delivered_at = delivered_at - interval '1 hour' where id = $1`,
    [id.slice(1, 37)],
  );
}

interface Call {
  type: string;
  webhook_id: string;
  data: Record<string, unknown>;
}
const calls = (id: string): Call[] =>
  receiver.requests
    .map(({ body }) => JSON.parse(body.toString()) as Call)
    .filter(({ data }) => data['message_id_header'] === id);
const publishedFetches = (id: string, count: number) =>
  eventually(() => calls(id).length, 20_000)
    .toBe(count)
    .then(() => calls(id));

describe('spec 2-messages §11 tracking', () => {
  it('spec 2-messages §11 rule 1 the request decides, then the control header, then the account; only HTML is changed', async () => {
    const own = await postmesh.newAccount();
    const from = await postmesh.verifiedDomain(own);
    const off = await sent({ tracking: null }, from, own);
    expect([off.pixels, off.links, off.html.trim()]).toEqual([[], [], HTML]);
    const set = await postmesh.api(own.key, 'PUT', '{A}', {
      body: { track_opens: true, track_clicks: true },
    });
    expect(set.status).toBe(200);
    const headers = { 'Postmesh-Track-Opens': 'false' };
    const [byAccount, byHeader, overHeader, byRequest] = await Promise.all([
      sent({ tracking: null }, from, own),
      sent({ tracking: null, headers }, from, own),
      sent({ tracking: { open: true }, headers }, from, own),
      sent({ tracking: { open: false }, text_content: 'https://shop.test/a' }, from, own),
    ]);
    expect([byAccount.pixels.length, byAccount.links.length]).toEqual([1, 2]);
    expect([byHeader.pixels.length, byHeader.links.length]).toEqual([0, 2]);
    expect([overHeader.pixels.length, overHeader.links.length]).toEqual([1, 2]);
    expect([byRequest.pixels.length, byRequest.links.length]).toEqual([0, 2]);
    expect(byRequest.text.trim()).toBe('https://shop.test/a');
  });

  it('spec 2-messages §11 rule 2 links in local mode lead to the service, where a browser can try them', async () => {
    const { pixels, links } = await sent();
    const urls = [...pixels, ...links];
    const base = postmesh.credentials.base_url;
    expect(urls.map((url) => url.slice(0, base.length + 1))).toEqual(urls.map(() => `${base}/`));
    const answers = await Promise.all(urls.map((url) => fetch(url, { redirect: 'manual' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 302, 302]);
  });

  it('spec 2-messages §11 rule 3 the pixel is right before </body>, is never cached, and each fetch is an open', async () => {
    const { id, html, pixels } = await sent();
    expect([
      pixels.length,
      html
        .trim()
        .replace(/<img [^>]+>/, '')
        .endsWith('</body></html>'),
    ]).toEqual([1, true]);
    expect(html).toMatch(/<img [^>]+><\/body><\/html>\s*$/);
    await statusOf(id).toBe('Delivered');
    const image = await fetched(pixels[0]!);
    const { bytes } = image;
    const size = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
    expect([image.status, bytes.toString('latin1', 0, 6), ...size]).toEqual([200, 'GIF89a', 1, 1]);
    expect(image.headers).toMatchObject({
      'content-type': 'image/gif',
      'content-length': String(bytes.length),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
    });
    expect(image.headers).not.toHaveProperty('set-cookie');
    await fetched(pixels[0]!, { agent: GMAIL });
    await fetched(pixels[0]!);
    await counters(id).toEqual({ status: 'Opened', open_count: 3, click_count: 0 });
    expect((await publishedFetches(id, 3)).map(({ type }) => type)).toEqual(Array(3).fill('message.opened'));
  });

  it('spec 2-messages §11 rule 4 quoted http links alone are rewritten, and lead to the exact original', async () => {
    const { html, links } = await sent();
    expect(links).toHaveLength(2);
    const targets = await Promise.all(links.map((url) => fetched(url)));
    expect(targets.map(({ status, headers }) => [status, headers['location']])).toEqual([
      [302, 'https://shop.test/a?b=1&c=2'],
      [302, 'http://shop.test/two'],
    ]);
    for (const { headers, bytes } of targets) {
      expect([headers['cache-control'], headers['referrer-policy'], bytes.length]).toEqual([
        'no-store',
        'no-referrer',
        0,
      ]);
    }
    const rest = html
      .replace(/<img [^>]+>/, '')
      .replace(/http:\/\/[^"']+\/c\/[\w-]+/g, '…')
      .trim();
    expect(rest).toBe(
      HTML.replace('https://shop.test/a?b=1&amp;c=2', '…')
        .replace('http://shop.test/two', '…')
        .replace('data-as-no-track ', ''),
    );
  });

  it('spec 2-messages §11 rule 6, §19.1 webhooks get link, user agent and address of the client', async () => {
    const { id, pixels, links } = await sent();
    await deliveredLongAgo(id);
    await fetched(pixels[0]!, { ip: '203.0.113.9, 198.51.100.7' });
    await fetched(links[0]!, { ip: '198.51.100.8' });
    const [opened, clicked] = await publishedFetches(id, 2);
    const record = await message(id);
    const shared = {
      account_id: account.id,
      from: `news@${domain}`,
      recipient: record.recipient,
      subject: 'Hello',
      message_id_header: id,
      id: record.id.replaceAll('-', ''),
    };
    expect(opened).toEqual({
      type: 'message.opened',
      timestamp: expect.any(String),
      webhook_id: hook,
      data: { ...shared, event: 'on_opened', user_agent: CHROME, ip: '198.51.100.7', is_bot: false },
    });
    expect(clicked).toMatchObject({
      type: 'message.clicked',
      data: {
        ...shared,
        event: 'on_clicked',
        url: 'https://shop.test/a?b=1&c=2',
        user_agent: CHROME,
        ip: '198.51.100.8',
        is_bot: false,
      },
    });
  });

  it('spec 2-messages §11 rule 7, §11 rule 8 fetches of bots are published and not counted; people move counters, status and statistics', async () => {
    const own = await postmesh.newAccount();
    const from = await postmesh.verifiedDomain(own);
    const body = { name: 'x', url: receiver.url, scope: 'global', on_opened: true, on_clicked: true };
    expect((await postmesh.api(own.key, 'POST', '{A}/webhooks', { body })).status).toBe(201);
    const { id, pixels, links } = await sent({}, from, own);
    const read = async () => {
      const path = `{A}/messages/${encodeURIComponent(id)}`;
      const { status, open_count, click_count } = (await postmesh.api(own.key, 'GET', path)).body;
      return { status, open_count, click_count };
    };
    const pass = () =>
      postmesh.sql(
        `update messages.tracked_fetches set at = at - interval '2.1 seconds' where message_id = $1`,
        [id.slice(1, 37)],
      );
    await eventually(async () => (await read()).status, 20_000).toBe('Delivered');
    // right after delivery, which a busy machine reports late
    await postmesh.sql('update messages.messages set delivered_at = now() where id = $1', [id.slice(1, 37)]);
    await fetched(links[0]!);
    for (const fetch of [
      { method: 'HEAD' },
      { headers: { purpose: 'prefetch' } },
      { agent: '' },
      { agent: 'curl/8.5.0' },
      { agent: 'Mozilla/5.0 (compatible; proofpoint)' },
      { ip: '209.222.82.9' },
      { ip: '172.224.226.5' },
    ]) {
      await fetched(pixels[0]!, fetch);
    }
    expect((await publishedFetches(id, 8)).map(({ data }) => data['is_bot'])).toEqual(Array(8).fill(true));
    await postmesh.sql(
      `update messages.messages set delivered_at = delivered_at - interval '1 hour' where id = $1`,
      [id.slice(1, 37)],
    );
    // several links at once, two seconds after the first click
    await pass();
    await Promise.all(links.map((url) => fetched(url)));
    expect((await publishedFetches(id, 10)).map(({ data }) => data['is_bot'])).toEqual(Array(10).fill(true));
    expect(await read()).toEqual({ status: 'Delivered', open_count: 0, click_count: 0 });

    await fetched(pixels[0]!, { agent: GMAIL });
    await eventually(read, 20_000).toEqual({ status: 'Opened', open_count: 1, click_count: 0 });
    await pass();
    await fetched(links[1]!);
    await eventually(read, 20_000).toEqual({ status: 'Clicked', open_count: 1, click_count: 1 });
    await fetched(pixels[0]!);
    await eventually(read, 20_000).toEqual({ status: 'Clicked', open_count: 2, click_count: 1 });
    const figures = async () => {
      const path = '{A}/statistics/transactional/deliverability';
      const { body: list } = await postmesh.api(own.key, 'GET', path);
      const sum = (name: string) =>
        (list.data as Record<string, number>[]).reduce((total, bucket) => total + bucket[name]!, 0);
      return [sum('delivered_count'), sum('opened_count'), sum('clicked_count')];
    };
    await eventually(figures).toEqual([1, 1, 1]);
  });

  it('spec 2-messages §11 rule 5 redirects outlive the record; nothing is recorded then', async () => {
    const { id, pixels, links } = await sent();
    await deliveredLongAgo(id);
    await fetched(pixels[0]!);
    await publishedFetches(id, 1);
    await postmesh.sql(
      `update messages.send_requests set retain_data_until = now() - make_interval(secs => 1), retain_metadata_until = now() - make_interval(secs => 1) where id = $1`,
      [id.slice(1, 37)],
    );
    expectError(
      await postmesh.api(account.key, 'GET', `{A}/messages/${encodeURIComponent(id)}`),
      404,
      'message not found',
    );
    const answers = [await fetched(pixels[0]!), await fetched(links[0]!)];
    expect(answers.map(({ status }) => status)).toEqual([200, 302]);
    expect(answers[1]!.headers['location']).toBe('https://shop.test/a?b=1&c=2');
    // later fetches are published later
    const last = await sent();
    await deliveredLongAgo(last.id);
    await fetched(last.links[0]!);
    await publishedFetches(last.id, 1);
    expect(calls(id)).toHaveLength(1);
  });
});

describe('spec 2-messages §10 sandbox', () => {
  it('spec 2-messages §10 rule 6 its content carries pixel and links; fetching them fires events, the status stays', async () => {
    const more = { html_content: HTML, tracking: BOTH, sandbox: true };
    const to = [`${unique('ann')}@mail.test`];
    const { body } = await sendMessage(postmesh, account, { from: domain, to, more });
    const id = body.data[0].id as string;
    await deliveredLongAgo(id, 'Sandbox Delivered');
    const { pixels, links } = await taken((await message(id)).content);
    expect([pixels.length, links.length]).toEqual([1, 2]);
    await fetched(pixels[0]!);
    await fetched(links[0]!);
    await counters(id).toEqual({ status: 'Sandbox Delivered', open_count: 1, click_count: 1 });
    expect((await publishedFetches(id, 2)).map(({ type }) => type).sort()).toEqual([
      'message.clicked',
      'message.opened',
    ]);
  });
});
