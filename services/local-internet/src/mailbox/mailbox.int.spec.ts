import { Resolver } from 'node:dns/promises';
import { request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sendMessage, startTestInternet, type TestInternet } from '../local-internet.fixture.js';

let internet: TestInternet;
beforeAll(async () => {
  internet = await startTestInternet();
});
afterAll(() => internet.stop());
beforeEach(async () => void (await call('DELETE', '/api/messages')));

const Listed = z.looseObject({ id: z.string(), subject: z.string(), received_at: z.string() });
const Attachment = z.object({
  index: z.number(),
  name: z.string(),
  content_type: z.string(),
  size: z.number(),
});
const Body = z.looseObject({
  message: z.string().optional(),
  messages: z.array(Listed).optional(),
  attachments: z.array(Attachment).optional(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
  received: z.number().optional(),
});
type Body = z.infer<typeof Body>;

interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const response = await fetch(internet.mailboxUrl + path, { method, body: text, headers });
  const content = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text: content,
    body: isJson && content !== '' ? JSON.parse(content) : undefined,
  };
}

async function newestId(): Promise<string> {
  return (await call('GET', '/api/messages?limit=1')).body.messages?.[0]?.id ?? 'no message';
}

/** fetch writes its own Host header; this one does not. */
function callWithHost(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${internet.mailboxUrl.replace('localhost', '127.0.0.1')}/api/messages`, {
      headers: { host },
    });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}

const MULTIPART = [
  'From: "A. Shop" <news@shop.test>',
  'To: someone@example.test',
  'Subject: Parts',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=outer',
  '',
  '--outer',
  'Content-Type: multipart/related; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<!doctype html><html><head><title>x</title></head><body><script>alert(1)</script><img src="cid:logo@shop"><img src="https://shop.test/pixel.png"></body></html>',
  '--inner',
  'Content-Type: image/png',
  'Content-ID: <logo@shop>',
  'Content-Transfer-Encoding: base64',
  '',
  'iVBORw0KGgo=',
  '--inner--',
  '--outer',
  'Content-Type: text/html; name="page.html"',
  'Content-Disposition: attachment; filename="p\'age.html"',
  '',
  '<script>alert(2)</script>',
  '--outer--',
  '',
].join('\r\n');

describe('GET /api/messages', () => {
  test('lists messages newest first, with exactly the promised fields', async () => {
    await sendMessage(internet, { to: ['one@example.test'], message: 'Subject: first\r\n\r\n' });
    await sendMessage(internet, { to: ['two@example.test'], message: 'Subject: second\r\n\r\n' });
    const { body } = await call('GET', '/api/messages');
    expect(body.messages?.map((message) => message.subject)).toEqual(['second', 'first']);
    expect(Object.keys(body.messages?.[0] ?? {})).toEqual([
      'id',
      'received_at',
      'envelope_from',
      'to',
      'from',
      'subject',
      'auth',
      'tls',
      'size',
    ]);
    expect(body.messages?.[0]?.received_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Object.keys(body)).toEqual(['messages']);
  });

  test('filters by parts of to, from and subject in any case, all together', async () => {
    await sendMessage(internet, {
      from: 'a@shop.test',
      to: ['One@Example.test'],
      message: 'Subject: Your Order\r\n\r\n',
    });
    const count = async (query: string) =>
      (await call('GET', `/api/messages?${query}`)).body.messages?.length;
    expect(await count('to=one@example.test')).toBe(1);
    expect(await count('to=ONE@&subject=order&from=SHOP')).toBe(1);
    expect(await count('to=one@&subject=invoice')).toBe(0);
  });

  test.each(['limit=0', 'limit=x', 'limit=-1', 'limit=1.5', 'limit=10001', 'limit='])(
    'refuses %s',
    async (query) => {
      const { status, body } = await call('GET', `/api/messages?${query}`);
      expect(status).toBe(400);
      expect(body.message).toContain('limit');
    },
  );

  test('answers 304 when nothing changed', async () => {
    const first = await call('GET', '/api/messages');
    const tag = first.headers.get('etag') ?? '';
    expect((await call('GET', '/api/messages', undefined, { 'if-none-match': tag })).status).toBe(304);
    await sendMessage(internet, {});
    expect((await call('GET', '/api/messages', undefined, { 'if-none-match': tag })).status).toBe(200);
  });
});

describe('one message', () => {
  test('is given raw as message/rfc822', async () => {
    await sendMessage(internet, { message: MULTIPART });
    const id = await newestId();
    const raw = await call('GET', `/api/messages/${id}/raw`);
    expect(raw.headers.get('content-type')).toBe('message/rfc822');
    expect(raw.text).toBe(`${MULTIPART}\r\n`);
  });

  test('is parsed for display', async () => {
    await sendMessage(internet, { message: MULTIPART });
    const id = await newestId();
    const { body } = await call('GET', `/api/messages/${id}`);
    expect(body).toMatchObject({
      has_html: true,
      has_remote_images: true,
      helo: 'client.test',
      remote_address: '127.0.0.1',
    });
    expect(body.headers?.[0]).toEqual({ name: 'From', value: '"A. Shop" <news@shop.test>' });
    expect(body.attachments?.map(({ name }) => name)).toContain("p'age.html");
  });

  test('shows its HTML in a sandbox that runs no script and loads nothing from outside', async () => {
    await sendMessage(internet, { message: MULTIPART });
    const id = await newestId();
    const html = await call('GET', `/api/messages/${id}/html`);
    const policy = html.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox /);
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src|https?:/);
    expect(policy).toContain("default-src 'none'");
    expect(html.text).toContain('<head><base target="_blank">');
    expect(html.text).toContain('data:image/png;base64,iVBORw0KGgo=');
    const withImages = await call('GET', `/api/messages/${id}/html?images=1`);
    expect(withImages.headers.get('content-security-policy')).toContain('img-src data: http: https:');
  });

  test('gives attachments as downloads, never inline', async () => {
    await sendMessage(internet, { message: MULTIPART });
    const id = await newestId();
    const { body } = await call('GET', `/api/messages/${id}`);
    const index = body.attachments?.find(({ name }) => name === "p'age.html")?.index ?? -1;
    const file = await call('GET', `/api/messages/${id}/attachments/${index}`);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''p%27age.html");
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    expect(file.text.trim()).toBe('<script>alert(2)</script>');
  });

  test.each(['', '/raw', '/html', '/attachments/0'])('that does not exist is a 404: %s', async (rest) => {
    const response = await call('GET', `/api/messages/0199aaaa-0000-7000-8000-000000000000${rest}`);
    expect(response).toMatchObject({ status: 404, body: { message: 'message not found' } });
  });

  test('is gone after DELETE /api/messages', async () => {
    await sendMessage(internet, {});
    expect((await call('DELETE', '/api/messages')).status).toBe(204);
    expect((await call('GET', '/api/messages')).body).toEqual({ messages: [] });
  });
});

describe('zones published by hand', () => {
  test('replace all other records until they are deleted', async () => {
    const records = [
      { type: 'MX', host: 'hand.test', content: '5 mail.hand.test' },
      { type: 'a', host: 'mail.hand.test', content: '127.0.0.9' },
      { type: 'TXT', host: '@', content: 'v=spf1 -all' },
    ];
    expect((await call('PUT', '/api/zones/Hand.test', { records })).status).toBe(200);
    expect(await internet.resolver.resolveMx('hand.test')).toMatchObject([
      { priority: 5, exchange: 'mail.hand.test' },
    ]);
    expect(await internet.resolver.resolve4('mail.hand.test')).toEqual(['127.0.0.9']);
    expect(await internet.resolver.resolveTxt('hand.test')).toEqual([['v=spf1 -all']]);
    await expect(internet.resolver.resolveMx('below.hand.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect((await call('DELETE', '/api/zones/hand.test')).status).toBe(204);
    expect(await internet.resolver.resolveMx('below.hand.test')).toHaveLength(1);
    expect((await call('DELETE', '/api/zones/hand.test')).status).toBe(404);
  });

  test('may be as broken as real ones', async () => {
    const key = `v=DKIM1; k=rsa; p=${'A'.repeat(400)}`;
    const records = [
      { type: 'TXT', host: '@', content: 'v=spf1 -all' },
      { type: 'TXT', host: '@', content: 'v=spf1 mx -all' },
      { type: 'CNAME', host: 'both.broken.test', content: 'elsewhere.test' },
      { type: 'TXT', host: 'both.broken.test', content: 'beside the alias' },
      { type: 'TXT', host: 'key.broken.test', content: key },
      { type: 'A', host: 'track.broken.test', content: '192.0.2.7' },
      { type: 'CNAME', host: 'loop.broken.test', content: 'loop.broken.test' },
    ];
    expect((await call('PUT', '/api/zones/broken.test', { records })).status).toBe(200);
    const { resolver } = internet;
    expect((await resolver.resolveTxt('broken.test')).flat().sort()).toEqual([
      'v=spf1 -all',
      'v=spf1 mx -all',
    ]);
    expect(await resolver.resolveTxt('both.broken.test')).toEqual([['beside the alias']]);
    expect(await resolver.resolveCname('both.broken.test')).toEqual(['elsewhere.test']);
    expect((await resolver.resolveTxt('key.broken.test'))[0]?.map((text) => text.length)).toEqual([255, 163]);
    expect(await resolver.resolve4('track.broken.test')).toEqual(['192.0.2.7']);
    await expect(resolver.resolveTxt('loop.broken.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  test.each([
    ['servfail', 'ESERVFAIL'],
    ['refused', 'EREFUSED'],
    ['silent', 'ETIMEOUT'],
  ])('have name servers that fail: %s', async (failure, code) => {
    const zone = `${failure}.test`;
    const records = [{ type: 'TXT', host: '@', content: 'x' }];
    expect((await call('PUT', `/api/zones/${zone}`, { records, failure })).body).toMatchObject({ failure });
    // the silent one times out, the others answer
    const resolver = new Resolver({ timeout: code === 'ETIMEOUT' ? 300 : 10_000, tries: 1 });
    resolver.setServers([internet.dnsAddress]);
    await expect(resolver.resolveTxt(zone)).rejects.toMatchObject({ code });
    expect((await call('PUT', `/api/zones/${zone}`, { records })).body).not.toHaveProperty('failure');
    expect(await internet.resolver.resolveTxt(zone)).toEqual([['x']]);
  });

  test.each([
    ['/api/zones/a.test', { records: [], failure: 'sometimes' }, 'failure'],
    ['/api/zones/a.test', '{', 'request body is not valid JSON'],
    ['/api/zones/a.test', {}, 'records'],
    ['/api/zones/a.test', { records: [{ type: 'TXT', host: 'b.test', content: 'x' }] }, 'records.0.host'],
    ['/api/zones/a.test', { records: [{ type: 'A', host: 'a.test', content: 'x' }] }, 'records.0'],
    ['/api/zones/a..test', { records: [] }, 'invalid zone name'],
    ['/api/zones/%ff', { records: [] }, 'invalid URL'],
  ])('that are invalid are refused: %s %j', async (path, body, message) => {
    const response = await call('PUT', path, body);
    expect(response.status).toBe(400);
    expect(response.body.message).toContain(message);
  });

  test('larger than a megabyte are refused', async () => {
    expect((await call('PUT', '/api/zones/a.test', `"${'x'.repeat(1_100_000)}"`)).status).toBe(413);
  });
});

describe('the server', () => {
  test('answers only under names of this machine', async () => {
    for (const host of ['localhost:1', '127.0.0.1', '[::1]:80', 'mail.localhost'])
      expect(await callWithHost(host)).toBe(200);
    for (const host of ['evil.test', 'localhost.evil.test', '192.168.0.1', '127.0.0.1.evil.test']) {
      expect(await callWithHost(host)).toBe(403);
    }
  });

  test('refuses to change anything for another site', async () => {
    const refused: Record<string, string>[] = [
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of refused)
      expect((await call('DELETE', '/api/messages', undefined, headers)).status).toBe(403);
    expect((await call('DELETE', '/api/messages', undefined, { origin: internet.mailboxUrl })).status).toBe(
      204,
    );
  });

  test('knows its paths and methods', async () => {
    expect(await call('GET', '/api/nothing')).toMatchObject({ status: 404, body: { message: 'not found' } });
    expect(await call('POST', '/api/messages', '{}')).toMatchObject({
      status: 405,
      body: { message: 'method not allowed' },
    });
  });

  test('accepts a DELETE with a content type and no body', async () => {
    const json = { 'content-type': 'application/json' };
    expect((await call('DELETE', '/api/messages', undefined, json)).status).toBe(204);
  });

  test('answers HEAD where it answers GET', async () => {
    expect(await call('HEAD', '/api/messages')).toMatchObject({ status: 200, text: '' });
    expect((await call('HEAD', '/api/zones/a.test')).status).toBe(405);
  });

  test('protects responses that no route makes', async () => {
    for (const path of ['/api/nothing', '/api/zones/%ff']) {
      expect((await call('GET', path)).headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('counts the received messages', async () => {
    const before = (await call('GET', '/api/stats')).body.received ?? 0;
    await sendMessage(internet, {});
    await call('GET', '/api/messages');
    expect((await call('GET', '/api/stats')).body).toMatchObject({
      received: before + 1,
      kept: 1,
      pending_verdicts: 0,
    });
  });

  test('serves one page that loads nothing from elsewhere', async () => {
    const page = await call('GET', '/');
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/,
    );
    expect(page.text).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
  });
});

test('a mailbox with a folder shows the same messages after a restart', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'local-internet-'));
  const first = await startTestInternet({ dataDir });
  await sendMessage(first, { message: 'Subject: still here\r\n\r\n' });
  await fetch(`${first.mailboxUrl}/api/zones/stay.test`, {
    method: 'PUT',
    body: JSON.stringify({ records: [{ type: 'TXT', host: 'stay.test', content: 'yes' }] }),
  });
  await first.stop();
  const second = await startTestInternet({ dataDir });
  const { messages } = (await (await fetch(`${second.mailboxUrl}/api/messages`)).json()) as {
    messages: { subject: string }[];
  };
  expect(messages.map(({ subject }) => subject)).toEqual(['still here']);
  expect(await second.resolver.resolveTxt('stay.test')).toEqual([['yes']]);
  await second.stop();
  await rm(dataDir, { recursive: true, force: true });
});
