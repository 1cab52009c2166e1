import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { eventually, expectError, sharedInstallation, unique, type Account } from './harness.js';
import { send as request } from './http-request.js';
import { ok } from './sender.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let account: Account;
let domain: string;
let campaign: string;
let ann: { id: string; email: string };
let mail: Arrived;

interface Arrived {
  raw: string;
  subject: string;
  html: string;
  text: string;
  headers: Map<string, string>;
  /** in the order of the HTML */
  links: string[];
}

const HTML = `<html><body><p>Hi {{ first_name }} {{ first_name|safe }} {{ plan|default("free") }}</p>
<a href="https://shop.test/a">shop</a> <a href="{{ view_browser_url }}">view</a>
<a href="{{ unsubscribe_url }}">stop</a></body></html>`;

const api = (method: string, path: string, body?: unknown) =>
  postmesh.api(account.key, method, `{A}/${path}`, body === undefined ? {} : { body });

beforeAll(async () => {
  receiver = await startHttpReceiver();
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
  ok(await postmesh.api(account.key, 'PUT', '{A}', { body: { track_opens: true, track_clicks: true } }), 200);
  const flags = { on_reception: true, on_delivered: true, on_clicked: true };
  ok(await api('POST', 'webhooks', { name: 'Mail', url: receiver.url, scope: 'global', ...flags }), 201);
  const email = `${unique('ann')}@mail.test`;
  ann = ok(await api('POST', 'contacts', { email, first_name: '<b>Ann</b>', last_name: 'Example' }), 201);
  const list = ok(await api('POST', 'lists', { name: 'All' }), 201);
  ok(await api('PUT', `lists/${list.id}/contacts/${ann.id}`, {}), 200);
  const from = { email: `news@${domain}`, name: 'Shop' };
  const more = {
    subject: 'News for {{ last_name }}',
    preheader: 'R&D {{ plan|default("x") }}',
    reply_to: 'help@else.test',
  };
  const body = { name: 'News', from, ...more, list_ids: [list.id], content: { html: HTML } };
  campaign = ok(await api('POST', 'campaigns', body), 201).id;
});
afterAll(() => receiver?.close());

async function arrivedAt(email: string): Promise<Arrived> {
  await eventually(() => postmesh.messagesTo(email), 60_000).toHaveLength(1);
  const [arrived] = await postmesh.messagesTo(email);
  const raw = await postmesh.messageText(arrived!.id);
  const { subject = '', html = '', text = '', headers } = await PostalMime.parse(raw);
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, url]) => url!);
  return { raw, subject, html, text, headers: new Map(headers.map(({ key, value }) => [key, value])), links };
}

const open = (url = '') => {
  const { host, pathname } = new URL(url);
  const agent = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36';
  return request({
    method: 'GET',
    url: `${postmesh.url}${pathname}`,
    headers: { host, 'user-agent': agent },
  });
};

interface Call {
  type: string;
  data: Record<string, unknown>;
}
const calls = (type: string, recipient: string): Call[] =>
  receiver.requests
    .map(({ body }) => JSON.parse(body.toString()) as Call)
    .filter((call) => call.type === type && call.data['recipient'] === recipient);

describe('spec 3-marketing §3.2 a test of a campaign', () => {
  it('spec 3-marketing §3.2 rule 2, §3.2 rule 3: is an ordinary message that says so and tracks nothing', async () => {
    const to = `${unique('tester')}@mail.test`;
    const { data } = ok(
      await api('POST', `campaigns/${campaign}/test-send`, { to: [to], contact: ann.id }),
      202,
    );
    const test = await arrivedAt(to);
    expect(test.subject).toBe('[Test] News for Example');
    expect(test.links).toEqual([
      'https://shop.test/a',
      expect.stringMatching(/\/v\/[\w-]+$/),
      expect.stringMatching(/\/u\/[\w-]+$/),
    ]);
    expect(test.html).not.toContain('/o/');
    expect([...test.headers.keys()].filter((name) => name.startsWith('list-'))).toEqual([]);
    const page = await open(test.links[2]);
    expect([page.status, page.bytes.toString().toLowerCase()]).toEqual([
      200,
      expect.stringContaining('test'),
    ]);
    const found = ok(await api('GET', `messages/${encodeURIComponent(data[0].id)}`), 200);
    expect(found).toMatchObject({ recipient: to, template_id: null });
  });
});

describe('spec 3-marketing §7 the message of a campaign', () => {
  it('spec 3-marketing §7.2 rule 2: arrives once', async () => {
    ok(await api('POST', `campaigns/${campaign}/send`, {}), 200);
    mail = await arrivedAt(ann.email);
  });

  it('spec 3-marketing §7.2 rule 3: is of the recipient alone, with the button of mail programs', () => {
    const { headers } = mail;
    expect(Object.fromEntries(headers)).toMatchObject({
      from: `Shop <news@${domain}>`,
      to: `"<b>Ann</b> Example" <${ann.email}>`,
      'reply-to': 'help@else.test',
      'message-id': expect.stringMatching(new RegExp(`^<[0-9a-f-]{36}@${domain}>$`)),
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      'feedback-id': `${campaign}:${account.id}:marketing:postmesh`,
      'content-type': expect.stringMatching(/^multipart\/alternative/),
    });
    expect(headers.get('list-unsubscribe')).toBe(`<${mail.links[2]}>`);
  });

  it('spec 3-marketing §5.4 rule 1, §5.4 rule 2, §5.4 rule 3: has values as each part wants them', () => {
    expect(mail.subject).toBe('News for Example');
    expect(mail.html).toContain('Hi &lt;b&gt;Ann&lt;/b&gt; <b>Ann</b> free');
    expect(mail.html).toMatch(/<body><div style="display:none[^>]*>R&amp;D x<\/div>/);
    expect(mail.text).toContain('<b>Ann</b>');
  });

  it('spec 3-marketing §7.6 rule 1: counts opens and clicks, and leaves its own links alone', async () => {
    expect(mail.html).toMatch(/<img src="[^"]+\/o\/[\w-]+"/);
    expect(mail.links.map((link) => new URL(link).pathname.slice(0, 3))).toEqual(['/c/', '/v/', '/u/']);
    expect((await open(mail.links[0])).headers['location']).toBe('https://shop.test/a');
  });

  it('spec 3-marketing §5.4: can be read in a browser, where nothing runs and nothing is counted', async () => {
    const { status, headers, bytes } = await open(mail.links[1]);
    const text = bytes.toString();
    expect([status, headers['content-security-policy']]).toEqual([200, expect.stringMatching(/^sandbox /)]);
    expect(text).toContain('Hi &lt;b&gt;Ann&lt;/b&gt;');
    expect(text).toContain('href="https://shop.test/a"');
    expect(text).not.toMatch(/\/[oc]\/[\w-]{20}/);
    expect((await open(mail.links[1]?.slice(0, -1))).status).toBe(404);
  });

  it('spec 3-marketing §7.7: is in webhooks with the name of its sender, and in no list of messages', async () => {
    await eventually(() => calls('message.delivered', ann.email), 30_000).toHaveLength(1);
    await eventually(() => calls('message.clicked', ann.email), 30_000).not.toHaveLength(0);
    const events = ['reception', 'delivered', 'clicked'].flatMap((kind) =>
      calls(`message.${kind}`, ann.email),
    );
    for (const { data } of events) {
      expect(data).toMatchObject({ from: `Shop <news@${domain}>`, subject: 'News for Example' });
      expect(JSON.stringify(data)).not.toContain(campaign);
    }
    const id = mail.headers.get('message-id') ?? '';
    for (const reference of [encodeURIComponent(id), id.slice(1, 37)]) {
      const read = ok(await api('GET', `messages/${reference}`), 200);
      expect(read).toMatchObject({ message_id: id, recipient: ann.email, subject: 'News for Example' });
      expectError(await api('DELETE', `messages/${reference}/cancel`), 404, 'message not found');
    }
    for (const filter of [
      '',
      `?recipient=${ann.email}`,
      `?message_id_header=${encodeURIComponent(id)}`,
      '?subject=News%20for%20Example',
    ]) {
      const { data } = ok(await api('GET', `messages${filter}`), 200);
      expect(data.filter(({ message_id }: { message_id: string }) => message_id === id)).toEqual([]);
    }
  });
});
