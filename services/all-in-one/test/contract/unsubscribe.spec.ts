import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { eventually, sharedInstallation, unique, type Account, type HttpResponse } from './harness.js';

const postmesh = sharedInstallation();
let receiver: HttpReceiver;
let account: Account;
let domain: string;
let template: string;

const HTML = '<p>Hi {{ name }}</p><p><a href="{{ unsubscribe_url }}">stop</a></p>';
const FORM = 'application/x-www-form-urlencoded';
const ONE_CLICK = 'List-Unsubscribe=One-Click';
const THEIRS = { 'List-unsubscribe': '<https://theirs.test/>', 'LIST-UNSUBSCRIBE-POST': 'theirs' };

beforeAll(async () => {
  receiver = await startHttpReceiver();
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
  template = await publish(HTML);
});
afterAll(() => receiver?.close());

const ok = ({ status, body, bytes }: HttpResponse, wanted: number) => {
  if (status !== wanted) throw new Error(`${status} ${bytes.toString()}`);
  return body;
};

async function publish(html: string): Promise<string> {
  const from = { email: `news@${domain}` };
  const body = { name: unique('t'), subject: 'News', from, content: { html }, publish: true };
  return ok(await postmesh.api(account.key, 'POST', '{A}/templates', { body }), 201).id;
}

/** The head of a message in the mailbox, by lower-case name, and its body with soft line breaks removed. */
async function received(to: string): Promise<{ head: Map<string, string>; body: string; dkim: unknown }> {
  await eventually(async () => (await postmesh.messagesTo(to)).length).toBe(1);
  const [message] = (await postmesh.mailbox(`/api/messages?to=${encodeURIComponent(to)}`)).body.messages;
  const raw = await postmesh.messageText(message.id);
  const end = raw.search(/\r?\n\r?\n/);
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/);
  const head = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    head,
    body: raw
      .slice(end)
      .replaceAll(/=\r?\n/g, '')
      .replaceAll('=3D', '='),
    dkim: message.auth.dkim,
  };
}

async function sendTemplate(to: string, more: object = {}, id = template) {
  const recipients = [{ email: to, substitutions: { name: 'Ann' } }];
  const body = { template_id: id, recipients, ...more };
  return ok(await postmesh.api(account.key, 'POST', '{A}/messages/template', { body }), 202).data[0];
}

/** A template message that has arrived. @returns the path of its unsubscribe link */
async function linkTo(to = `${unique('reader')}@mail.test`): Promise<{ path: string; to: string }> {
  await sendTemplate(to);
  const { head } = await received(to);
  return { path: new URL(head.get('list-unsubscribe')!.slice(1, -1)).pathname, to };
}

const get = (path: string) => postmesh.api(null, 'GET', path);
const post = (path: string, body: string | Buffer, type: string) =>
  postmesh.api(null, 'POST', path, { rawBody: body, headers: { 'content-type': type } });
const suppressions = async (email: string) =>
  ok(await postmesh.api(account.key, 'GET', `{A}/suppressions?email=${encodeURIComponent(email)}`), 200).data;

describe('spec 2-messages §12 rule 1 the link', () => {
  it('spec 2-messages §12 rule 1 is in the body and the head of template messages that use it, one per recipient, signed', async () => {
    const [one, other] = [`${unique('a')}@mail.test`, `${unique('b')}@mail.test`];
    await sendTemplate(one, { headers: { ...THEIRS, 'X-Mine': 'stays' } });
    await sendTemplate(other);
    const messages = [await received(one), await received(other)];
    for (const { head, body, dkim } of messages) {
      const link = head.get('list-unsubscribe')!.slice(1, -1);
      expect(link).toMatch(/^http:\/\/localhost:\d+\/u\/[\w-]+$/);
      // a browser finds it (spec 2-messages §11 rule 2)
      expect((await fetch(link)).status).toBe(200);
      expect(body).toContain(`href="${link}"`);
      expect(head.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
      const signed = /\bh=([^;]+)/.exec(head.get('dkim-signature') ?? '')?.[1]?.toLowerCase() ?? '';
      const names = signed.split(':').map((name) => name.trim());
      expect(names).toEqual(expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']));
      expect(dkim).toBe('pass');
    }
    expect(messages[0]!.head.get('x-mine')).toBe('stays');
    expect(messages[0]!.head.get('list-unsubscribe')).not.toBe(messages[1]!.head.get('list-unsubscribe'));
  });

  it('spec 2-messages §12 rule 1 is not made where the design does not use it, nor by a regular send: headers pass', async () => {
    const plain = await publish('<p>Hi {{ name }}</p>');
    const [templated, regular] = [`${unique('p')}@mail.test`, `${unique('r')}@mail.test`];
    await sendTemplate(templated, { headers: THEIRS }, plain);
    const body = {
      from: { email: `news@${domain}` },
      recipients: [{ email: regular }],
      ...{ subject: 'Hello', html_content: '<p>{{ unsubscribe_url }}</p>', headers: THEIRS },
    };
    ok(await postmesh.api(account.key, 'POST', '{A}/messages', { body }), 202);
    for (const to of [templated, regular]) {
      const { head, body: text } = await received(to);
      expect(head.get('list-unsubscribe')).toBe('<https://theirs.test/>');
      expect(head.get('list-unsubscribe-post')).toBe('theirs');
      expect(text).not.toContain('/u/');
    }
  });
});

it('spec 2-messages §12 rule 2 GET shows a page with address and sending domain, and changes nothing', async () => {
  const { path, to } = await linkTo();
  const { status, headers, bytes } = await get(path);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(bytes.toString()).toContain(to);
  expect(bytes.toString()).toContain(domain);
  expect(bytes.toString()).toMatch(/<form method="post">[\s\S]*name="confirm" value="1"/);
  expect(await suppressions(to)).toEqual([]);
});

it('spec 2-messages §12 rule 3 POST confirm=1 suppresses, then shows a page; again it shows the same, without a second row', async () => {
  const { path, to } = await linkTo();
  const pages = [await post(path, 'confirm=1', FORM), await post(path, 'confirm=1', FORM)];
  expect(pages.map(({ status }) => status)).toEqual([200, 200]);
  expect(pages[1]!.bytes).toEqual(pages[0]!.bytes);
  expect(await suppressions(to)).toHaveLength(1);
  // the next message to the address ends at once
  const { id } = await sendTemplate(to);
  const read = () => postmesh.api(account.key, 'GET', `{A}/messages/${encodeURIComponent(id)}`);
  await eventually(async () => (await read()).body.status).toBe('Suppressed');
});

describe('spec 2-messages §12 rule 4 one-click', () => {
  const multipart =
    '--cut\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--cut--\r\n';

  it.each([
    [FORM, ONE_CLICK],
    ['multipart/form-data; boundary=cut', multipart],
  ])(
    'spec 2-messages §12 rule 4 as %s is 200, empty, without redirect, cookie and login',
    async (type, body) => {
      const { path, to } = await linkTo();
      const response = await post(path, body, type);
      expect([response.status, response.bytes.length]).toEqual([200, 0]);
      for (const name of ['location', 'set-cookie', 'www-authenticate']) {
        expect(response.headers).not.toHaveProperty(name);
      }
      expect(await suppressions(to)).toHaveLength(1);
    },
  );

  it('spec 2-messages §12 rule 4 any other body is 400 and changes nothing', async () => {
    const { path, to } = await linkTo();
    for (const [body, type] of [
      ['', FORM],
      ['List-Unsubscribe=No', FORM],
      ['confirm=2', FORM],
      ['{"confirm":1}', 'application/json'],
      [ONE_CLICK, 'text/plain'],
    ] as const) {
      expect((await post(path, body, type)).status).toBe(400);
    }
    expect(await suppressions(to)).toEqual([]);
  });
});

it('spec 2-messages §12 rule 5 the effect is a protected, permanent suppression of the sending domain, with its event', async () => {
  const hook = { name: 'S', url: receiver.url, scope: 'global', on_suppression_created: true };
  const made = ok(await postmesh.api(account.key, 'POST', '{A}/webhooks', { body: hook }), 201);
  const { path, to } = await linkTo();
  await post(path, ONE_CLICK, FORM);
  const [row] = await suppressions(to);
  const expires_at = '9999-12-31T23:59:59Z';
  expect(row).toMatchObject({ email: to, domain, reason: 'Unsubscribed', protected: true, expires_at });
  const published = () =>
    receiver.requests
      .map(({ body }) => JSON.parse(body.toString()))
      .filter(({ webhook_id, data }) => webhook_id === made.id && data.recipient === to);
  await eventually(published).toHaveLength(1);
  expect(published()[0]).toMatchObject({
    type: 'suppression.created',
    data: { account_id: account.id, sending_domain: domain, reason: 'Unsubscribed', expires_at },
  });
});

describe('spec 2-messages §12 rule 6 tokens and pages', () => {
  it('spec 2-messages §12 rule 6 a bad token is a 404 page', async () => {
    const { path } = await linkTo();
    for (const bad of ['/u/x', `${path}A`, path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))]) {
      for (const response of [await get(bad), await post(bad, ONE_CLICK, FORM)]) {
        expect(response.status).toBe(404);
        expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      }
    }
  });

  it('spec 2-messages §12 rule 6 is not indexed and loads nothing of others', async () => {
    const { path } = await linkTo();
    const { headers, bytes } = await get(path);
    expect(headers['x-robots-tag']).toContain('noindex');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(bytes.toString()).not.toMatch(/https?:\/\//);
  });

  it('spec 2-messages §12 rule 6 tokens do not expire: they work when record, domain and account are gone', async () => {
    const mine = await postmesh.newAccount();
    const kept = { account, domain, template };
    account = mine;
    domain = await postmesh.verifiedDomain(mine);
    template = await publish(HTML);
    const { path, to } = await linkTo();
    const theirs = domain;
    ({ account, domain, template } = kept);
    await postmesh.sql('delete from messages.messages where recipient = $1', [to]);
    ok(await postmesh.api(mine.key, 'DELETE', `{A}/domains/${theirs}`), 200);
    expect((await get(path)).bytes.toString()).toContain(theirs);
    expect((await post(path, 'confirm=1', FORM)).status).toBe(200);
    const rows = await postmesh.sql('select domain from messages.suppressions where email = $1', [to]);
    expect(rows).toEqual([{ domain: theirs }]);
    const gone = `/operator/accounts/accounts/${mine.id}`;
    ok(await postmesh.operator('DELETE', gone, { reason: 'a test' }), 200);
    expect((await post(path, ONE_CLICK, FORM)).status).toBe(200);
  });
});
