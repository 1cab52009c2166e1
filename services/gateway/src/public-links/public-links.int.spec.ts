import { newId } from '@postmesh/contracts';
import { LinkTokens } from '@postmesh/public-links';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tracked } from '../testing/echo-service.js';
import { MODES, startGateway, type TestGateway } from '../testing/start-gateway.js';

// proven again: the requests and reports that services behind it get, and a messages service that is away
/** a new id for each test: reports of the previous test may still arrive */
let messageId: string;
const database = testDatabase();
const URL_OF_SHOP = 'https://shop.test/?a=1&b=%20%C3%BC#c';

let openToken: string;
let clickToken: string;
let unsubscribeToken: string;

function makeTokens(secretKeys: readonly string[]): void {
  messageId = newId();
  const tokens = new LinkTokens(secretKeys);
  const about = { accountId: newId(), domain: 'shop.test', recipient: 'ann@mail.test' };
  openToken = tokens.sign({ kind: 'open', messageId });
  clickToken = tokens.sign({ kind: 'click', messageId, index: 3, url: URL_OF_SHOP });
  unsubscribeToken = tokens.sign({ kind: 'unsubscribe', messageId, ...about });
}

let counted = 0;
const freshIp = () => `10.1.${(counted += 1) >> 8}.${counted & 255}`;

describe.each(MODES)('links in messages, messages %s', (mode) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode, { trustedProxies: ['127.0.0.1'] });
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    makeTokens(gateway.context.settings.secretKeys);
    tracked.refuseWith = undefined;
  });

  async function ask(
    path: string,
    options: {
      method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
      headers?: Record<string, string>;
      body?: string;
    } = {},
  ) {
    const { method = 'GET', headers = {}, body } = options;
    const response = await request(`${gateway.url}${path}`, {
      method,
      headers: { 'x-forwarded-for': freshIp(), ...headers },
      body: body ?? null,
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, headers: response.headers, bytes };
  }

  const mine = () => tracked.fetches.filter(({ message_id }) => message_id === messageId);
  const reported = (count: number) => expect.poll(() => mine().length).toBeGreaterThanOrEqual(count);

  it('spec 2-messages §11 rule 2 on every host, with a query, without a key', async () => {
    for (const host of ['track.shop.test', 'api.example.test', 'localhost:8080']) {
      expect((await ask(`/o/${openToken}?utm=1`, { headers: { host } })).status).toBe(200);
      expect((await ask(`/c/${clickToken}`, { headers: { host } })).status).toBe(302);
    }
  });

  it('spec 2-messages §11 rule 2 a bad token is 404 and never a redirect', async () => {
    const token = clickToken;
    const foreign = new LinkTokens(['a-key-that-is-not-ours-and-long-enough']);
    const bad = [
      ...[`/c/${openToken}`, `/o/${token}`, `/o/${unsubscribeToken}`, `/c/${unsubscribeToken}`],
      ...[`/c/${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
      ...[`/c/${token}x`, `/c/${token.slice(0, -1)}`, `/c/${token}/x`, `/c/`, '/c', '/o/', '/o'],
      ...[
        '/c/https://evil.test',
        '/c/https:%2F%2Fevil.test',
        '/c/%0d%0alocation:x',
        '/c/..%2f',
        `/C/${token}`,
      ],
      `/c/${foreign.sign({ kind: 'click', messageId, index: 0, url: URL_OF_SHOP })}`,
      `/c/?url=https://evil.test`,
      `/c/${'A'.repeat(8_000)}`,
    ];
    for (const path of bad) {
      const { status, headers, bytes } = await ask(path);
      expect([path, status, headers['location']]).toEqual([path, 404, undefined]);
      expect(JSON.parse(bytes.toString())).toEqual({ message: expect.any(String) });
    }
    expect(mine()).toEqual([]);
  });

  it('a client that guesses tokens gets 429; a client with a valid token does not', async () => {
    const headers = { 'x-forwarded-for': freshIp() };
    const statuses = new Set<number>();
    const guess = async (_: unknown, nth: number) => {
      statuses.add((await ask(`/o/bad${nth}`, { headers })).status);
    };
    // 20 tokens a second come back while these are made
    while (!statuses.has(429)) await Promise.all(Array.from({ length: 60 }, guess));
    expect(statuses).toEqual(new Set([404, 429]));
    const good = await Promise.all(
      Array.from({ length: 60 }, async () => (await ask(`/o/${openToken}`, { headers })).status),
    );
    expect(new Set(good)).toEqual(new Set([200]));
  });

  it('no other method is served, and its body is not read', async () => {
    for (const path of [`/o/${openToken}`, `/c/${clickToken}`]) {
      for (const method of ['POST', 'PUT'] as const) {
        const { status, headers } = await ask(path, { method, body: 'x' });
        expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
      }
    }
    const { status, headers } = await ask(`/u/${unsubscribeToken}`, { method: 'PUT', body: 'x' });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('spec 2-messages §11 rule 6 a fetch is reported with link, agent and the first address that is not trusted', async () => {
    const given = await ask(`/c/${clickToken}`, {
      headers: { 'user-agent': 'Mozilla/5.0', 'x-forwarded-for': '203.0.113.5, 198.51.100.7' },
    });
    expect(given.headers['location']).toBe(URL_OF_SHOP);
    await reported(1);
    expect(mine()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{14}7/),
        message_id: messageId,
        kind: 'click',
        link_index: 3,
        url: URL_OF_SHOP,
        at: expect.stringMatching(/Z$/),
        ip: '198.51.100.7',
        user_agent: 'Mozilla/5.0',
        prefetch: false,
      },
    ]);
  });

  it('spec 2-messages §11 rule 7 HEAD and prefetch are marked in reports; their responses have no body', async () => {
    const head = await ask(`/o/${openToken}`, { method: 'HEAD' });
    expect([head.status, head.bytes.length, head.headers['content-type']]).toEqual([200, 0, 'image/gif']);
    const headers = { 'sec-purpose': 'prefetch;prerender', 'user-agent': 'x'.repeat(2_000) };
    await ask(`/c/${clickToken}`, { headers });
    await reported(2);
    expect(mine().map(({ kind, prefetch }) => [kind, prefetch])).toEqual([
      ['open', true],
      ['click', true],
    ]);
    expect(mine()[1]?.user_agent).toHaveLength(512);
  });

  it('while messages is down pixels and links work, and are reported when it is back', async () => {
    tracked.refuseWith = 503;
    for (let nth = 0; nth < 30; nth += 1) {
      expect((await ask(`/o/${openToken}`)).status).toBe(200);
      expect((await ask(`/c/${clickToken}`)).status).toBe(302);
    }
    const before = tracked.reports;
    tracked.refuseWith = undefined;
    await reported(60);
    expect(new Set(mine().map(({ id }) => id)).size).toBe(60);
    // those that waited go together
    expect(tracked.reports - before).toBeLessThan(10);
  });

  it('a report that messages rejects is dropped and counted, and delays no other', async () => {
    tracked.refuseWith = 400;
    await ask(`/o/${openToken}`);
    const lost = async () =>
      /^postmesh_tracked_fetches_lost_total (\d+)/m.exec(await gateway.context.metrics.render())?.[1];
    await expect.poll(lost).toBe('1');
    tracked.refuseWith = undefined;
    await ask(`/o/${openToken}`);
    await reported(1);
  });

  it('spec 2-messages §12 rule 2 unsubscribe links go to messages unchanged', async () => {
    const ip = freshIp();
    const headers = {
      'x-forwarded-for': ip,
      'user-agent': 'Mozilla/5.0',
      'accept-language': 'de',
      cookie: 'a=b',
      'x-principal': 'forged',
      'x-client-ip': 'forged',
    };
    const got = await ask(`/u/${unsubscribeToken}?a=1`, { headers });
    expect(got.headers).toMatchObject({
      'content-type': expect.stringContaining('text/html'),
      'cache-control': 'private',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
    });
    const seen = JSON.parse(got.bytes.toString());
    expect(seen).toMatchObject({ method: 'GET', token: unsubscribeToken, bytes: 0 });
    expect(seen.headers).toMatchObject({
      'x-client-ip': ip,
      'user-agent': 'Mozilla/5.0',
      'accept-language': 'de',
      'x-request-id': got.headers['x-request-id'],
    });
    for (const name of ['cookie', 'x-principal']) expect(seen.headers).not.toHaveProperty(name);
    const head = await ask(`/u/${unsubscribeToken}`, { method: 'HEAD' });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    const bad = await ask('/u/%zz');
    expect(JSON.parse(bad.bytes.toString())).toMatchObject({ token: '%zz' });
  });

  it('spec 2-messages §12 rule 4 with a form of 64 KiB at most', async () => {
    const form = (body: string) =>
      ask(`/u/${unsubscribeToken}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      });
    const given = await form('List-Unsubscribe=One-Click');
    expect(JSON.parse(given.bytes.toString())).toMatchObject({
      method: 'POST',
      bytes: 26,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect((await form('x'.repeat(65_537))).status).toBe(413);
  });

  it('the way back of a reader goes to the service of the link, with its form', async () => {
    const form = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    } as const;
    const given = await ask(`/r/${unsubscribeToken}`, { ...form, body: 'back=all' });
    expect(JSON.parse(given.bytes.toString())).toMatchObject({ token: unsubscribeToken, bytes: 8 });
    const about = { messageId, accountId: newId(), campaignId: newId(), contactId: newId() };
    const tokens = new LinkTokens(gateway.context.settings.secretKeys);
    const ofCampaign = tokens.sign({ kind: 'campaign-unsubscribe', ...about });
    const marketing = await ask(`/r/${ofCampaign}`, { ...form, body: 'back=these' });
    expect(JSON.parse(marketing.bytes.toString())).toMatchObject({ service: 'marketing', bytes: 10 });
  });

  it('spec 3-marketing §7.4 rule 1 unsubscribe links of campaigns and of their tests go to marketing, web copies to messages', async () => {
    const tokens = new LinkTokens(gateway.context.settings.secretKeys);
    const about = { messageId, accountId: newId(), campaignId: newId(), contactId: newId() };
    const ofCampaign = tokens.sign({ kind: 'campaign-unsubscribe', ...about });
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answers = [
      await ask(`/u/${ofCampaign}`),
      await ask(`/u/${ofCampaign}`, { method: 'POST', headers: type, body: 'List-Unsubscribe=One-Click' }),
      await ask(`/u/${tokens.sign({ kind: 'test-unsubscribe', messageId })}`),
      await ask(`/v/${tokens.sign({ kind: 'view', messageId })}`),
      await ask('/v/wrong'),
      await ask('/u/wrong'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const seen = answers.map(({ bytes }) => JSON.parse(bytes.toString()));
    expect(seen.map(({ service }) => service === 'marketing')).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(seen.map(({ copy }) => copy === true)).toEqual([false, false, false, true, true, false]);
    expect(seen[1]).toMatchObject({ method: 'POST', bytes: 26 });
    const posted = await ask(`/v/${tokens.sign({ kind: 'view', messageId })}`, { method: 'POST', body: 'x' });
    expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('is logged without the token', async () => {
    expect(await gateway.context.metrics.render()).toMatch(
      /postmesh_http_requests_total\{operation="open",status="200"\}/,
    );
  });
});
