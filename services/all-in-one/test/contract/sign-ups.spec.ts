import { beforeAll, describe, expect, it } from 'vitest';
import { CampaignClient } from '../campaign-client.js';
import { eventually, freshIp, sharedInstallation, unique } from './harness.js';
import { send, type HttpResponse } from './http-request.js';
import { ok, Sender } from './sender.js';

// The way of a reader: a form, a mail that arrives, a button, a campaign; each step through the gateway.
const postmesh = sharedInstallation();
let sender: Sender;
let campaigns: CampaignClient;
let listId: string;
let form: { id: string; url: string };
/** of the owner of the account in the console */
let cookie: string;

const ask = (method: string, path: string, body?: object): Promise<HttpResponse> =>
  send({
    method,
    url: `${postmesh.url}${path}`,
    headers: {
      ...{ origin: postmesh.url, 'sec-fetch-site': 'same-origin', cookie },
      'x-forwarded-for': freshIp(),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

beforeAll(async () => {
  sender = await Sender.make(postmesh);
  campaigns = new CampaignClient(
    async (method, path, wanted, body) => ok(await sender.api(method, path, body), wanted),
    `news@${sender.domain}`,
  );
  const email = sender.account.ownerEmail;
  const link = ok(await postmesh.operator('POST', '/operator/accounts/sign-in-links', { email }), 201);
  cookie = '';
  const begun = await ask('POST', '/console/api/sessions', { token: String(link.url).split('#')[1] });
  cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  listId = await campaigns.list([]);
  const texts = {
    ...{ title: 'News of the shop', intro: '', button: 'Sign up', consent: 'I want it.' },
    ...{ thanks: 'Look into your mailbox.', confirmed: 'You are on the list.' },
    ...{ mail_subject: 'Please confirm', mail_text: 'Do you want it?', mail_button: 'Yes' },
  };
  const body = {
    ...{ name: 'Footer', list_id: listId, is_open: true, fields: ['first_name'], texts, accent: '#12683c' },
    ...{ from: { email: `news@${sender.domain}`, name: 'Shop' }, welcome: null },
  };
  form = ok(await ask('POST', '/console/api/sign-up-forms', body), 201);
});

const pathOf = (url: string) => new URL(url).pathname;
/** A browser at one address. */
const page = async (path: string, fields?: Record<string, string>, ip = freshIp()) => {
  const { status, bytes } = await postmesh.api(null, fields ? 'POST' : 'GET', path, {
    headers: {
      'x-forwarded-for': ip,
      ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(fields && { rawBody: new URLSearchParams(fields).toString() }),
  });
  return { status, text: bytes.toString() };
};
const timeIn = (text: string) => /name="t" value="([\w-]+)"/.exec(text)?.[1] ?? '';

/** Sends the form until its page is old enough to be filled in by a person. */
async function signUp(email: string): Promise<void> {
  const t = timeIn((await page(pathOf(form.url))).text);
  const fields = { email, first_name: 'Ann', website: '', consent: '1', t };
  await eventually(async () => (await page(pathOf(form.url), fields)).text).toContain(
    'Look into your mailbox.',
  );
}

async function linkIn(email: string): Promise<string> {
  await eventually(async () => (await postmesh.messagesTo(email)).length).toBe(1);
  const [mail] = await postmesh.messagesTo(email);
  expect(mail?.subject).toBe('Please confirm');
  const raw = (await postmesh.messageText(mail!.id)).replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  // a link that is tracked would lead elsewhere
  return /\/j\/[\w-]+/.exec(raw)?.[0] ?? '';
}

const members = async () => ok(await sender.api('GET', `{A}/lists/${listId}/contacts`), 200).data;
const contacts = async (email: string) =>
  ok(await sender.api('GET', `{A}/contacts?email=${encodeURIComponent(email)}`), 200).data;

describe('a sign-up through the gateway', () => {
  it('is mailed, confirmed by its button alone, and then gets a campaign and a preference centre', async () => {
    const email = `${unique('reader')}@mail.test`;
    await signUp(email);
    const link = await linkIn(email);
    for (let times = 0; times < 3; times += 1) expect((await page(link)).text).toContain(email);
    expect([await members(), await contacts(email)]).toEqual([[], []]);
    expect((await page(link, { confirm: '1' })).text).toContain('You are on the list.');
    expect(await members()).toMatchObject([{ email, subscription_status: 'confirmed' }]);
    const consents = ok(await ask('GET', '/console/api/consents'), 200).data;
    expect(consents).toMatchObject([{ email, action: 'granted', way: 'form', text: 'I want it.' }]);
    expect(ok(await ask('GET', '/console/api/consents/verification'), 200)).toMatchObject({
      last: 1,
      problem: null,
    });

    const id = await campaigns.campaign([listId]);
    await campaigns.send(id);
    await eventually(async () => (await postmesh.messagesTo(email)).length, 40_000).toBe(2);
    const mail = (await postmesh.messagesTo(email)).find(({ subject }) => subject.startsWith('News'));
    const raw = (await postmesh.messageText(mail!.id)).replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
    const token = /\/u\/([\w-]+)/.exec(raw)?.[1] ?? '';
    const paused = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    expect((await page(`/p/${token}`, { save: '1', pause: paused })).text).toContain('is saved');
    const held = await campaigns.campaign([listId]);
    await campaigns.send(held);
    await eventually(() => campaigns.recipients(held), 40_000).toMatchObject([
      { email, status: 'skipped', status_reason: 'contact_paused' },
    ]);
    const weekly = { save: '1', pause: '', frequency: 'weekly' };
    expect((await page(`/p/${token}`, weekly)).text).toContain('is saved');
    const early = await campaigns.campaign([listId]);
    await campaigns.send(early);
    await eventually(() => campaigns.recipients(early), 40_000).toMatchObject([
      { email, status: 'skipped', status_reason: 'contact_frequency' },
    ]);
    expect(ok(await ask('GET', `/console/api/campaigns/${early}/skips`), 200).data).toEqual([
      { reason: 'contact_frequency', count: 1 },
    ]);
    // mail that is no campaign comes at any time
    const receipt = {
      ...{ from: { email: `shop@${sender.domain}` }, recipients: [{ email }] },
      ...{ subject: 'Receipt', text_content: 'Thank you.' },
    };
    ok(await sender.api('POST', '{A}/messages', receipt), 202);
    await eventually(async () => (await postmesh.messagesTo(email)).length, 40_000).toBe(3);
    expect((await page(`/p/${token}`, { stop: 'all' })).text).toContain('is stopped');
    expect(await contacts(email)).toMatchObject([{ unsubscribed: true }]);
  });

  it('is taken as JSON from a page of another site, within the same limits', async () => {
    const path = pathOf(form.url);
    const ip = freshIp();
    const json = (method: string, body?: object, from = freshIp()) =>
      send({
        method,
        url: `${postmesh.url}${path}`,
        headers: {
          ...{ origin: 'https://shop.example', accept: 'application/json', 'x-forwarded-for': from },
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    const preflight = await json('OPTIONS');
    expect([preflight.status, preflight.headers]).toMatchObject([
      204,
      {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'content-type',
      },
    ]);
    const { t, consent } = ok(await json('GET'), 200);
    expect(consent).toBe('I want it.');
    const email = `${unique('reader')}@mail.test`;
    const fields = { email, first_name: 'Ann', consent: true, t };
    await eventually(async () => (await json('POST', fields)).status).toBe(202);
    expect((await page(await linkIn(email), { confirm: '1' })).text).toContain('You are on the list.');
    const statuses = new Set<number>();
    while (!statuses.has(429) && statuses.size < 3) {
      const { status, headers } = await json('POST', { ...fields, email: 'nobody' }, ip);
      expect(headers['access-control-allow-origin']).toBe('*');
      statuses.add(status);
    }
    expect(statuses).toEqual(new Set([400, 429]));
  });

  it('is limited per form and client, in size, and by the words of its token', async () => {
    const path = pathOf(form.url);
    const ip = freshIp();
    const statuses = new Set<number>();
    while (!statuses.has(429) && statuses.size < 3) {
      statuses.add((await page(path, { email: `${unique('x')}@mail.test` }, ip)).status);
    }
    expect(statuses).toEqual(new Set([200, 429]));
    expect((await page(path, { email: `${unique('x')}@mail.test` })).status).toBe(200);
    expect((await page(path, undefined, ip)).status).toBe(200);
    expect((await page(path, { email: 'x'.repeat(48 * 1024) })).status).toBe(413);
    for (const wrong of [`${path}x`, path.replace('/f/', '/j/'), path.replace('/f/', '/p/')]) {
      expect((await page(wrong)).status, wrong).toBe(404);
    }
  });
});
