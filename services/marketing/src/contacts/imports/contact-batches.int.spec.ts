import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { memberOf, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../../marketing.definition.js';

const database = testDatabase();
let marketing: TestService;
let account_id: string;

beforeAll(async () => {
  marketing = await startTestService(MARKETING_SERVICE, { databaseUrl: database.url });
});
afterAll(() => marketing?.stop());
beforeEach(() => {
  account_id = newId();
});

const call = (
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  role: 'Developer' | 'Analyst' = 'Developer',
) => marketing.call(method, path, { account_id, body, principal: memberOf(account_id, role) });
const batch = async (body: object, step: '' | '/preview' = '') => {
  const role = step === '' ? 'Developer' : 'Analyst';
  const answer = await call('POST', `/console/api/contact-batches${step}`, body, role);
  expect([answer.status, answer.body.message]).toEqual([200, undefined]);
  return answer.body;
};
const counts = ({ created, updated, unchanged, rejected, stopped }: Record<string, number>) => [
  created,
  updated,
  unchanged,
  rejected,
  stopped,
];
const create = async (body: object) => (await call('POST', `/v2/accounts/${account_id}/contacts`, body)).body;
const contact = async (email: string) =>
  (await call('GET', `/v2/accounts/${account_id}/contacts/${encodeURIComponent(email)}`)).body;
const sql = (text: string, parameters: unknown[]) =>
  marketing.service.get(DataSource).query(text, parameters) as Promise<Record<string, unknown>[]>;
const members = async (name: string) =>
  (
    await sql(
      `select c.email from memberships m join lists l on l.id = m.list_id join contacts c on c.id = m.contact_id
        where l.account_id = $1 and l.name = $2 order by c.email`,
      [account_id, name],
    )
  ).map(({ email }) => email);

const LISTMONK = {
  service: 'listmonk',
  columns: ['uuid', 'email', 'name', 'status', 'attribs', 'lists'],
  rows: [
    ['1', 'Ann@Mail.test', 'Ann Lee', 'enabled', '{"score":7}', listed('News')],
    ['2', 'bob@mail.test', 'Bob', 'blocklisted', '{}', listed('News')],
    ['3', 'new@mail.test', 'New', 'enabled', '{}', listed('News', 'unconfirmed')],
    ['4', 'nonsense', '', 'enabled', '{}', '[]'],
  ],
};
function listed(name: string, status = 'confirmed'): string {
  return JSON.stringify([{ name, subscription_status: status }]);
}
const define = (key: string, type: string) =>
  call('POST', '/console/api/contact-attributes', { key, type }).then(({ status }) =>
    expect(status).toBe(201),
  );

describe('an import of contacts of another service by a member', () => {
  it('has the effect that its dry run reported, and none when it is repeated', async () => {
    await create({ email: 'bob@mail.test', first_name: 'Robert' });
    const preview = await batch(LISTMONK, '/preview');
    expect(preview).toMatchObject({
      forms: ['api'],
      may_be_confirmed: false,
      consents: { subscribed: 1, blocked: 1, unconfirmed: 1 },
      lists: [{ name: 'News', contacts: 1 }],
      attributes: [{ key: 'score', type: 'number', is_defined: false }],
      errors: [{ position: 3, email: 'nonsense' }],
    });
    expect(counts(preview)).toEqual([2, 1, 0, 1, 1]);
    expect((await call('GET', `/v2/accounts/${account_id}/lists`)).body.data).toEqual([]);
    expect((await contact('bob@mail.test')).status).toBe('enabled');

    await define('score', 'number');
    const done = await batch(LISTMONK);
    expect(counts(done)).toEqual(counts(preview));
    expect(done.lists).toEqual(preview.lists);
    expect(await contact('ann@mail.test')).toMatchObject({
      ...{ first_name: 'Ann', last_name: 'Lee', status: 'enabled', attributes: { score: 7 } },
    });
    expect(await contact('bob@mail.test')).toMatchObject({
      ...{ first_name: 'Bob', status: 'blocked', status_reason: 'blocked at listmonk' },
    });
    expect(await contact('new@mail.test')).toMatchObject({ status: 'disabled' });
    expect(await members('News')).toEqual(['ann@mail.test']);

    for (const step of ['/preview', ''] as const)
      expect(counts(await batch(LISTMONK, step))).toEqual([0, 0, 3, 1, 0]);
    expect(await members('News')).toEqual(['ann@mail.test']);
  });

  it('makes no contact mailable, and leaves those who confirmed here as they are', async () => {
    await create({ email: 'gone@mail.test', unsubscribed: true });
    await create({ email: 'here@mail.test', first_name: 'Here' });
    const rows = [
      ['gone@mail.test', 'Gone', 'Away'],
      ['here@mail.test', 'Other', 'Name'],
    ];
    const file = { service: 'sendgrid', columns: ['email', 'first_name', 'last_name'], rows };
    expect(counts(await batch(file))).toEqual([0, 0, 2, 0, 0]);
    expect(await contact('here@mail.test')).toMatchObject({ first_name: 'Here', status: 'enabled' });
    await batch({ ...file, confirmed: true });
    expect(await contact('gone@mail.test')).toMatchObject({ first_name: 'Gone', unsubscribed: true });
    expect(await contact('here@mail.test')).toMatchObject({ first_name: 'Other', status: 'enabled' });
  });

  it('puts those who agreed on the list that a member chose, of their own account alone', async () => {
    const lists = `/v2/accounts/${account_id}/lists`;
    const { id: list_id } = (await call('POST', lists, { name: 'All' })).body;
    const rows = [
      ['ann@mail.test', 'false'],
      ['bob@mail.test', 'true'],
    ];
    const file = { service: 'resend', columns: ['email', 'unsubscribed'], rows, list_id };
    await batch(file);
    expect(await members('All')).toEqual(['ann@mail.test']);
    account_id = newId();
    const foreign = await call('POST', '/console/api/contact-batches', file);
    expect([foreign.status, foreign.body.message]).toEqual([404, 'list not found']);
    expect((await contact('ann@mail.test')).message).toBe('contact not found');
  });

  it('names lists that several have, attributes that are not defined, and values of another type', async () => {
    await define('score', 'number');
    for (const name of ['News', 'News']) await call('POST', `/v2/accounts/${account_id}/lists`, { name });
    for (const step of ['/preview', '']) {
      const { status, body } = await call('POST', `/console/api/contact-batches${step}`, LISTMONK);
      expect([status, body.message]).toEqual([
        400,
        'the account has several lists named News: rename all but one',
      ]);
    }
    const rows = [['ann@mail.test', 'false', 'gold']];
    const file = { service: 'resend', columns: ['email', 'unsubscribed', 'plan'], rows };
    expect((await batch(file)).errors).toEqual([
      { position: 0, email: 'ann@mail.test', reason: 'unknown attribute "plan"' },
    ]);
    await define('plan', 'number');
    expect((await batch(file, '/preview')).errors).toEqual([
      { position: 0, email: 'ann@mail.test', reason: 'attribute "plan" must be a finite number' },
    ]);
    expect(counts(await batch({ ...file, without_attributes: true }))).toEqual([1, 0, 0, 0, 0]);
  });

  it('does nothing before it is known which file this is, and refuses other rows and other roles', async () => {
    const columns = ['Email Address', 'OPTIN_TIME', 'UNSUB_TIME', 'CLEAN_TIME'];
    const given = { service: 'mailchimp', columns, rows: [['ann@mail.test', '', '', '']] };
    const { forms, created } = await batch(given);
    expect([forms, created]).toEqual([['cleaned', 'unsubscribed', 'subscribed'], 0]);
    const ask = async (body: object, role: 'Developer' | 'Analyst' = 'Developer') => {
      const answer = await call('POST', '/console/api/contact-batches', body, role);
      return [answer.status, answer.body.message];
    };
    expect((await ask({ ...given, columns: ['name'], rows: [['Ann']] }))[0]).toBe(400);
    expect((await ask({ ...given, service: 'postmark' }))[0]).toBe(400);
    expect((await ask(LISTMONK, 'Analyst'))[0]).toBe(403);
    const many = Array.from({ length: 1_001 }, () => ['a@mail.test', 'false']);
    expect(await ask({ service: 'resend', columns: ['email', 'unsubscribed'], rows: many })).toEqual([
      400,
      'rows must have at most 1000 items',
    ]);
  });
});
