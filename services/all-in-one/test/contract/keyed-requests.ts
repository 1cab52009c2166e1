import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  expectError,
  unique,
  uniqueDomain,
  type Account,
  type ApiKey,
  type HttpResponse,
  type Postmesh,
} from './harness.js';

const IN_PROGRESS = 'A request with this idempotency key is already in progress';
const MISMATCH = 'idempotency key was already used with a different request payload';

export const replayed = ({ headers }: HttpResponse) => headers['idempotent-replayed'];
export const hook = (name = unique('hook')) => ({
  name,
  url: 'http://127.0.0.1:9/',
  scope: 'global',
  on_dns_error: true,
});
/** the body of a new API key */
export const KEY_BODY = { label: 'k', scopes: ['accounts:read'] };
export const messageFrom = (domain: string) => ({
  from: { email: `a@${domain}` },
  to: [{ email: 'ann@mail.test' }],
  subject: 's',
  text_content: 't',
  sandbox: true,
});

/** Requests of an account under idempotency keys. */
export function keyedRequests(postmesh: Postmesh, account: () => Account) {
  const post = (path: string, body: unknown, key: string, as: ApiKey = account().key) =>
    postmesh.api(as, 'POST', path, { body, headers: { 'idempotency-key': key } });
  /** Waits until the key is no longer in progress, as a client does. */
  const retry = async (path: string, body: unknown, key: string): Promise<HttpResponse> => {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const response = await post(path, body, key);
      if (response.status !== 409 || replayed(response) === 'true' || Date.now() > deadline) return response;
      await delay(Number(response.headers['retry-after']) * 1_000);
    }
  };
  /** the records of a key in the table of a service */
  const claims = (service: string, key: string) =>
    postmesh.sql(`select 1 from ${service}.idempotency where key = $1`, [key]);
  const countOf = async (path: string, as: ApiKey = account().key) =>
    (await postmesh.api(as, 'GET', `${path}?limit=100`)).body.data.length as number;
  return { post, retry, claims, countOf };
}

/** Every create that honours a key: its path and its body. */
export function keyedCreates(
  postmesh: Postmesh,
  account: () => Account,
  domain: () => string,
): Record<string, () => Promise<[path: string, body: object]>> {
  return {
    'api-keys.create': async () => ['{A}/api-keys', KEY_BODY],
    'sub-account-api-keys.create': async () => {
      const child = await postmesh.api(account().key, 'POST', '{A}/sub-accounts', {
        body: { name: 'c', website: 'c.test' },
      });
      return [`{A}/sub-accounts/${child.body.id}/api-keys`, KEY_BODY];
    },
    'domains.create': async () => ['{A}/domains', { domain: uniqueDomain() }],
    'members.add': async () => ['{A}/members', { email: `${unique('m')}@mail.test`, role: 'Analyst' }],
    'sub-accounts.create': async () => ['{A}/sub-accounts', { name: unique('c'), website: 'c.test' }],
    'suppressions.create': async () => [
      '{A}/suppressions',
      { email: `${unique('s')}@mail.test`, domain: domain(), expires_at: '2090-01-01T00:00:00Z' },
    ],
    'webhooks.create': async () => ['{A}/webhooks', hook()],
    'routes.create': async () => [
      '{A}/routes',
      { name: unique('r'), url: 'http://127.0.0.1:9/', recipient: `*@${domain()}` },
    ],
    'smtp-credentials.create': async () => ['{A}/smtp-credentials', { name: unique('c'), scope: 'global' }],
    'messages.send': async () => {
      const { to: recipients, ...message } = messageFrom(domain());
      return ['{A}/messages', { ...message, recipients }];
    },
    'messages.send-template': async () => {
      const content = { html: '<p>Hi</p>' };
      const template = { name: 'T', subject: 's', from: { email: `a@${domain()}` }, content, publish: true };
      const made = await postmesh.api(account().key, 'POST', '{A}/templates', { body: template });
      const recipients = [{ email: 'ann@mail.test' }];
      return ['{A}/messages/template', { template_id: made.body.id, recipients, sandbox: true }];
    },
    'messages.send-conversation': async () => ['{A}/messages/conversation', messageFrom(domain())],
    'templates.create': async () => ['{A}/templates', TEMPLATE],
    'templates.publish': async () => [`${await newTemplate(postmesh, account())}/publish`, {}],
    'templates.restore-version': async () => {
      const template = await newTemplate(postmesh, account());
      const publish = await postmesh.api(account().key, 'POST', `${template}/publish`);
      const versions = await postmesh.api(account().key, 'GET', `${template}/versions`);
      expect([publish.status, versions.body.data.length]).toEqual([200, 1]);
      return [`${template}/versions/${versions.body.data[0].id}/restore`, { publish: true }];
    },
    ...marketingCreates(postmesh, account, domain),
  };
}

function marketingCreates(
  postmesh: Postmesh,
  account: () => Account,
  domain: () => string,
): Record<string, () => Promise<[path: string, body: object]>> {
  const make = async (path: string, body: object): Promise<string> => {
    const made = await postmesh.api(account().key, 'POST', `{A}/${path}`, { body });
    expect(made.status, path).toBeLessThan(300);
    return `{A}/${path}/${made.body.id}`;
  };
  const contact = () => ({ email: `${unique('c')}@mail.test` });
  const ready = async (): Promise<string> => {
    const list = await make('lists', { name: 'News' });
    const someone = contact();
    await make('contacts', someone);
    await make(`${list.slice('{A}/'.length)}/contacts/batch`, { data: [someone] });
    return make('campaigns', {
      name: 'News',
      subject: 'News',
      from: { email: `news@${domain()}` },
      list_ids: [list.slice(list.lastIndexOf('/') + 1)],
      content: { html: '<a href="{{ unsubscribe_url }}">no more</a>' },
    });
  };
  const later = () => ({ send_at: new Date(Date.now() + 86_400_000).toISOString() });
  return {
    'contacts.create': async () => ['{A}/contacts', contact()],
    'contacts.batch': async () => ['{A}/contacts/batch', { data: [contact()] }],
    'lists.create': async () => ['{A}/lists', { name: 'News' }],
    'lists.add-contacts': async () => [
      `${await make('lists', { name: 'News' })}/contacts/batch`,
      { data: [contact()] },
    ],
    'campaigns.create': async () => ['{A}/campaigns', { name: 'News' }],
    'campaigns.duplicate': async () => [
      `${await make('campaigns', { name: 'News' })}/duplicate`,
      { name: 'Again' },
    ],
    'campaigns.send': async () => [`${await ready()}/send`, later()],
    'campaigns.unschedule': async () => {
      const campaign = await ready();
      await postmesh.api(account().key, 'POST', `${campaign}/send`, { body: later() });
      return [`${campaign}/unschedule`, {}];
    },
    'campaigns.test-send': async () => [`${await ready()}/test-send`, { to: [contact().email] }],
    'campaign-templates.create': async () => ['{A}/campaign-templates', TEMPLATE],
  };
}

const TEMPLATE = { name: 'Welcome', content: { html: '<p>Hello</p>' } };

/** @returns its path */
async function newTemplate(postmesh: Postmesh, { key }: Account): Promise<string> {
  const { body } = await postmesh.api(key, 'POST', '{A}/templates', { body: TEMPLATE });
  return `{A}/templates/${body.id}`;
}

export function expectFresh(response: HttpResponse, status: number): void {
  expect([response.status, replayed(response)]).toEqual([status, undefined]);
}

export function expectInProgress(response: HttpResponse): void {
  expectError(response, 409, IN_PROGRESS);
  expect(replayed(response)).toBe('false');
  expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
}

export function expectMismatch(response: HttpResponse): void {
  expectError(response, 422, MISMATCH);
  expect([replayed(response), response.headers['retry-after']]).toEqual([undefined, undefined]);
}

export function expectReplay(response: HttpResponse, first: HttpResponse): void {
  expect([response.status, response.bytes.toString()]).toEqual([first.status, first.bytes.toString()]);
  expect(response.headers['content-type']).toBe(first.headers['content-type']);
  expect([replayed(response), response.headers['retry-after']]).toEqual(['true', undefined]);
  expect(response.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
}
