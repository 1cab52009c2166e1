import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startTestService, type TestRequest, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';
import { FoldCounts } from '../results/fold-counts.js';

const database = testDatabase();
let marketing: TestService;
beforeAll(async () => {
  marketing = await startTestService(MARKETING_SERVICE, { databaseUrl: database.url });
});
afterAll(() => marketing?.stop());

const sql = (text: string, parameters: unknown[] = []) =>
  marketing.service.get(DataSource).query(text, parameters) as Promise<Record<string, unknown>[]>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const api = (account: string, method: Method, path: string, body?: unknown, more: TestRequest = {}) =>
  marketing.call(method, `/v2/accounts/${account}/${path}`, {
    account_id: account,
    ...(body === undefined ? {} : { body }),
    ...more,
  });

/** An account with lists and contacts of its own. */
class Customer {
  readonly id = newId();
  call = (method: Method, path: string, body?: unknown, more: TestRequest = {}) =>
    api(this.id, method, path, body, more);

  async list(body: object = {}) {
    const response = await this.call('POST', 'lists', { name: 'List', ...body });
    expect(response).toMatchObject({ status: 201 });
    return response.body;
  }

  async contact(email = `${newId()}@x.test`): Promise<string> {
    const id = newId();
    await sql(
      `insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status,
         status_reason, unsubscribed, attributes)
       values ($1, $2, now(), now(), $3, '', '', 'enabled', '', false, '{}')`,
      [id, this.id, email],
    );
    return id;
  }

  async count(list: string): Promise<number> {
    return (await this.call('GET', `lists/${list}`)).body.contact_count;
  }

  async complain(list: string, contact: string): Promise<void> {
    await sql(
      `update memberships set subscription_status = 'complained', unsubscribed_at = now()
        where list_id = $1 and contact_id = $2`,
      [list, contact],
    );
  }
}

describe('POST …/lists', () => {
  it('spec 3-marketing §2.3 L5: returns the list, without contacts', async () => {
    const customer = new Customer();
    const { status, body } = await customer.call('POST', 'lists', {
      name: '  Product updates ',
      description: ' Monthly ',
      tags: [' a ', '', 'b', 'a', 'A', '  '],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'contact_list',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
      name: 'Product updates',
      description: 'Monthly',
      tags: ['a', 'b', 'A'],
      contact_count: 0,
    });
    expect((await customer.call('GET', `lists/${body.id}`)).body).toEqual(body);
  });

  it('spec 3-marketing §2.3 L1: a name may be used twice', async () => {
    const customer = new Customer();
    const [one, two] = [await customer.list({ name: 'Same' }), await customer.list({ name: 'Same' })];
    expect(one.id).not.toBe(two.id);
    expect((await customer.call('GET', 'lists')).body.data.map(({ id }: { id: string }) => id)).toEqual([
      two.id,
      one.id,
    ]);
  });

  const tags = (count: number) => Array.from({ length: count }, (_, nth) => `t${nth}`);
  it.each<[unknown, string]>([
    [{}, 'name is required'],
    [{ name: null }, 'name must be a string'],
    [{ name: 7 }, 'name must be a string'],
    [{ name: ' \u00a0\t' }, 'name must not be empty'],
    [{ name: '😀'.repeat(256) }, 'name must be at most 255 characters'],
    [{ name: 'a\u0000b' }, 'name must not contain a NUL character'],
    [{ name: 'a', description: 'é'.repeat(1_001) }, 'description must be at most 1000 characters'],
    [{ name: 'a', description: 7 }, 'description must be a string'],
    [{ name: 'a', tags: 'a' }, 'tags must be an array'],
    [{ name: 'a', tags: ['a', null] }, 'tags[1] must be a string'],
    [{ name: 'a', tags: tags(51) }, 'tags must have at most 50 items'],
    [{ name: 'a', tags: ['é'.repeat(256)] }, 'a tag must be at most 255 characters'],
    [{ name: 7, colour: 'red', id: 1 }, 'unknown field: colour'],
    [{ name: 'a', id: newId() }, 'unknown field: id'],
    [{ name: 'a', contact_count: 0 }, 'unknown field: contact_count'],
    [['a'], 'invalid request body'],
  ])('spec 3-marketing §2.3 L1, L2, L3, L4: %j is 400', async (body, message) => {
    expect(await new Customer().call('POST', 'lists', body)).toMatchObject({
      status: 400,
      body: { message },
    });
  });

  it('spec 3-marketing §2.3 L2, L3, L7: counts characters after normalisation', async () => {
    const customer = new Customer();
    expect((await customer.list({ name: '😀'.repeat(255) })).name).toBe('😀'.repeat(255));
    expect((await customer.list({ name: ` ${'a'.repeat(255)} ` })).name).toBe('a'.repeat(255));
    const body = { description: null, tags: [...tags(50), ...tags(10), ' ', '😀'.repeat(255)].slice(0, 61) };
    expect(await customer.list(body)).toMatchObject({ description: '', tags: tags(50) });
    expect(await customer.list({ tags: null })).toMatchObject({ tags: [] });
  });

  it('spec 3-marketing §2.3 L6: the same key is the same list, and a stored 400', async () => {
    const customer = new Customer();
    const headers = { 'idempotency-key': newId() };
    const create = (body: object, more = headers) => customer.call('POST', 'lists', body, { headers: more });
    const first = await create({ name: 'Once' });
    const again = await create({ name: 'Once' });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await create({ name: 'Other' })).status).toBe(422);
    const wrong = { 'idempotency-key': newId() };
    const refused = await create({}, wrong);
    expect([refused.status, refused.headers['idempotent-replayed']]).toEqual([400, undefined]);
    expect((await create({}, wrong)).headers['idempotent-replayed']).toBe('true');
    expect((await customer.call('GET', 'lists')).body.data).toHaveLength(1);
  });
});

describe('lists', () => {
  it('are paged, newest first, with both cursors', async () => {
    const customer = new Customer();
    expect((await customer.call('GET', 'lists')).body).toEqual({
      object: 'list',
      data: [],
      pagination: { has_more: false, next_cursor: null, previous_cursor: null },
    });
    const ids: string[] = [];
    for (let nth = 0; nth < 3; nth += 1) ids.unshift((await customer.list()).id);
    const first = (await customer.call('GET', 'lists?limit=2')).body;
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    const second = (await customer.call('GET', `lists?limit=2&after=${first.pagination.next_cursor}`)).body;
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(second.pagination).toEqual({
      has_more: false,
      next_cursor: null,
      previous_cursor: expect.any(String),
    });
    expect((await customer.call('GET', 'lists?limit=0')).status).toBe(400);
  });

  it('are found by a part of their name, in any letter case, taken literally', async () => {
    const customer = new Customer();
    for (const name of ['Élan 50% off', 'snake_case', 'back\\slash', 'Plain']) await customer.list({ name });
    const named = async (name: string) =>
      (await customer.call('GET', `lists?name=${encodeURIComponent(name)}`)).body.data.map(
        (list: { name: string }) => list.name,
      );
    expect(await named(' élAN ')).toEqual(['Élan 50% off']);
    expect(await named('0%')).toEqual(['Élan 50% off']);
    expect(await named('_')).toEqual(['snake_case']);
    expect(await named('\\')).toEqual(['back\\slash']);
    expect(await named('  ')).toHaveLength(4);
    expect(await named('nothing')).toEqual([]);
  });

  it('are changed field by field: omitted and null stay', async () => {
    const customer = new Customer();
    const list = await customer.list({ description: 'D', tags: ['a'] });
    const put = (body: unknown) => customer.call('PUT', `lists/${list.id}`, body);
    for (const body of [
      {},
      { name: null, description: null, tags: null },
      { name: ' List ', tags: ['a', 'a'] },
    ]) {
      expect(await put(body)).toMatchObject({ status: 200, body: list });
    }
    expect((await put({ name: null, description: 'E', tags: ['b'] })).body).toMatchObject({
      name: 'List',
      description: 'E',
      tags: ['b'],
    });
    const changed = await put({ name: 'New', description: '', tags: [] });
    expect(changed.body).toMatchObject({ name: 'New', description: '', tags: [] });
    expect(changed.body.updated_at > list.updated_at).toBe(true);
    expect((await put({ name: '' })).status).toBe(400);
    expect((await put({ created_at: 'x' })).body.message).toBe('unknown field: created_at');
    expect((await customer.call('GET', `lists/${list.id}`)).body).toEqual(changed.body);
  });

  it('of other accounts, deleted ones and unknown ones are 404; an invalid id is 400', async () => {
    const [one, other] = [new Customer(), new Customer()];
    const list = await one.list();
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const body = method === 'PUT' ? {} : undefined;
      for (const id of [list.id, newId()]) {
        expect(await other.call(method, `lists/${id}`, body)).toMatchObject({
          status: 404,
          body: { message: 'list not found' },
        });
      }
      expect(await one.call(method, 'lists/7', body)).toMatchObject({
        status: 400,
        body: { message: 'invalid list_id' },
      });
    }
    expect(await one.call('DELETE', `lists/${list.id}`)).toMatchObject({
      status: 200,
      body: { message: `list ${list.id} (List) deleted successfully` },
    });
    expect((await one.call('DELETE', `lists/${list.id}`)).status).toBe(404);
  });

  it('that were deleted are not listed, and keep the unsubscribes of their members', async () => {
    const customer = new Customer();
    const list = await customer.list();
    const contact = await customer.contact();
    await customer.call('PUT', `lists/${list.id}/contacts/${contact}`, {
      subscription_status: 'unsubscribed',
    });
    await customer.call('DELETE', `lists/${list.id}`);
    expect((await customer.call('GET', 'lists')).body.data).toEqual([]);
    expect((await customer.call('GET', `contacts/${contact}/lists`)).body.data).toEqual([]);
    expect((await customer.call('PUT', `lists/${list.id}/contacts/${contact}`, {})).status).toBe(404);
    expect((await customer.call('POST', `lists/${list.id}/contacts/batch`, { data: [{}] })).status).toBe(404);
    expect(await sql('select subscription_status from memberships where list_id = $1', [list.id])).toEqual([
      { subscription_status: 'unsubscribed' },
    ]);
  });

  it.each([
    ['draft', 409],
    ['validating', 409],
    ['waiting_for_review', 409],
    ['scheduled', 409],
    ['sending', 409],
    ['paused', 409],
    ['sent', 200],
    ['failed', 200],
    ['canceled', 200],
  ])('that a campaign in %s names answer a delete with %s', async (state, status) => {
    const customer = new Customer();
    const list = await customer.list();
    const campaign = newId();
    await sql(
      `insert into campaigns (id, account_id, created_at, updated_at, name, status)
       values ($1, $2, now(), now(), 'C', $3)`,
      [campaign, customer.id, state],
    );
    await sql('insert into campaign_lists values ($1, 0, $2)', [campaign, list.id]);
    const response = await customer.call('DELETE', `lists/${list.id}`);
    expect(response.status).toBe(status);
    if (status === 409) {
      expect(response.body).toEqual({ message: 'list is used by a campaign that is not finished' });
      expect(response.headers).not.toHaveProperty('idempotent-replayed');
      expect(response.headers).not.toHaveProperty('retry-after');
    }
    if (state === 'draft') {
      expect((await customer.call('DELETE', `campaigns/${campaign}`)).status).toBe(200);
      expect((await customer.call('DELETE', `lists/${list.id}`)).status).toBe(200);
    }
  });
});

describe('a membership', () => {
  it('spec 3-marketing §2.2, §2.4: is created, changed and kept by PUT', async () => {
    const customer = new Customer();
    const list = await customer.list();
    const contact = await customer.contact('ann+1@x.test');
    const put = (body: unknown, who = contact) =>
      customer.call('PUT', `lists/${list.id}/contacts/${who}`, body);
    const made = await put({});
    expect([made.status, made.body]).toEqual([
      200,
      {
        object: 'list_contact',
        list_id: list.id,
        contact_id: contact,
        email: 'ann+1@x.test',
        subscription_status: 'confirmed',
        subscribed_at: made.body.created_at,
        unsubscribed_at: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: made.body.created_at,
      },
    ]);
    for (const same of [{}, { subscription_status: null }, { subscription_status: 'confirmed' }]) {
      expect((await put(same, 'ANN%2B1%40x.test')).body).toEqual(made.body);
    }
    const left = await put({ subscription_status: 'unsubscribed' });
    expect(left.body).toMatchObject({
      subscribed_at: made.body.subscribed_at,
      subscription_status: 'unsubscribed',
    });
    expect(left.body.unsubscribed_at).toBe(left.body.updated_at);
    expect((await put({})).body).toEqual(left.body);
    expect((await put({ subscription_status: 'confirmed' })).body).toMatchObject({ unsubscribed_at: null });
  });

  it('spec 3-marketing §2.4: that ended by a complaint is frozen', async () => {
    const customer = new Customer();
    const list = await customer.list();
    const contact = await customer.contact();
    const path = `lists/${list.id}/contacts/${contact}`;
    await customer.call('PUT', path, {});
    await customer.complain(list.id, contact);
    const message = 'the contact reported this list as spam, its membership cannot be changed';
    for (const body of [{}, { subscription_status: 'confirmed' }, { subscription_status: 'unsubscribed' }]) {
      const frozen = await customer.call('PUT', path, body);
      expect([frozen.status, frozen.body]).toEqual([409, { message }]);
      expect(frozen.headers).not.toHaveProperty('idempotent-replayed');
    }
    expect(await customer.call('DELETE', path)).toMatchObject({ status: 409, body: { message } });
    expect((await customer.call('PUT', path, { subscription_status: 'complained' })).status).toBe(400);
    expect(await customer.count(list.id)).toBe(0);
  });

  it.each<[unknown, string]>([
    [undefined, 'invalid request body'],
    [[], 'invalid request body'],
    [{ status: 'confirmed' }, 'unknown field: status'],
    [{ subscription_status: 7 }, 'subscription_status must be one of: confirmed, unconfirmed, unsubscribed'],
    [
      { subscription_status: 'complained' },
      'subscription_status must be one of: confirmed, unconfirmed, unsubscribed',
    ],
  ])('refuses %j before any query', async (body, message) => {
    const path = `lists/${newId()}/contacts/${newId()}`;
    expect(await new Customer().call('PUT', path, body)).toMatchObject({ status: 400, body: { message } });
  });

  it('names the missing list or contact, and never creates a contact', async () => {
    const customer = new Customer();
    const list = await customer.list();
    const contact = await customer.contact();
    const stranger = await new Customer().contact('stranger@x.test');
    const say = async (method: 'PUT' | 'DELETE', of: string, who: string) =>
      (await customer.call(method, `lists/${of}/contacts/${who}`, method === 'PUT' ? {} : undefined)).body
        .message;
    for (const method of ['PUT', 'DELETE'] as const) {
      expect(await say(method, newId(), contact)).toBe('list not found');
      for (const who of [newId(), 'nobody%40x.test', 'no address', '%00', stranger, 'stranger%40x.test']) {
        expect(await say(method, list.id, who)).toBe('contact not found');
      }
      expect(await say(method, '7', contact)).toBe('invalid list_id');
    }
    expect(await say('DELETE', list.id, contact)).toBe('contact is not on this list');
    await customer.call('PUT', `lists/${list.id}/contacts/${contact}`, {});
    expect(await say('DELETE', list.id, contact)).toBe(`contact ${contact} removed from list ${list.id}`);
    expect(await say('DELETE', list.id, contact)).toBe('contact is not on this list');
  });

  it('is one for any number of concurrent requests', async () => {
    const customer = new Customer();
    const list = await customer.list();
    const contact = await customer.contact();
    const path = `lists/${list.id}/contacts/${contact}`;
    const puts = await Promise.all(Array.from({ length: 6 }, () => customer.call('PUT', path, {})));
    expect(new Set(puts.map(({ text }) => text)).size).toBe(1);
    expect(await customer.count(list.id)).toBe(1);
  });
});

describe('members of a list and lists of a contact', () => {
  it('are paged, filtered, and shown with the other resource', async () => {
    const customer = new Customer();
    const [list, empty] = [await customer.list(), await customer.list({ name: 'Empty' })];
    const contacts: string[] = [];
    for (const name of ['ann', 'bob', 'cyd']) contacts.unshift(await customer.contact(`${name}@x.test`));
    for (const contact of [...contacts].reverse()) {
      await customer.call('PUT', `lists/${list.id}/contacts/${contact}`, {});
    }
    const [cyd, bob = '', ann] = contacts;
    await customer.call('PUT', `lists/${list.id}/contacts/${bob}`, { subscription_status: 'unsubscribed' });
    const members = async (query = '') =>
      (await customer.call('GET', `lists/${list.id}/contacts${query}`)).body;
    const ids = (page: { data: { contact_id: string }[] }) => page.data.map(({ contact_id }) => contact_id);
    expect(ids(await members())).toEqual([cyd, bob, ann]);
    expect(Object.keys((await members()).data[0])).not.toContain('contact');
    expect(ids(await members('?subscription_status=unsubscribed'))).toEqual([bob]);
    expect(ids(await members('?subscription_status=complained'))).toEqual([]);
    expect(ids(await members('?email=%20BOB@x.test'))).toEqual([bob]);
    expect(ids(await members('?email=%20'))).toHaveLength(3);
    expect(ids(await members('?email=none'))).toEqual([]);
    const first = await members('?limit=2&include_contacts=true');
    expect(first.data[1].contact).toMatchObject({
      object: 'contact',
      id: bob,
      email: 'bob@x.test',
      attributes: {},
    });
    const second = await members(`?limit=2&after=${first.pagination.next_cursor}`);
    expect(ids(second)).toEqual([ann]);
    const back = await members(`?limit=2&before=${second.pagination.previous_cursor}`);
    expect([ids(back), back.pagination.has_more]).toEqual([[cyd, bob], false]);

    await customer.call('PUT', `lists/${empty.id}/contacts/${bob}`, {});
    const lists = async (query = '') =>
      (await customer.call('GET', `contacts/bob%40x.test/lists${query}`)).body;
    expect((await lists()).data).toMatchObject([
      { list_id: empty.id, contact_id: bob, list: { object: 'contact_list', id: empty.id, name: 'Empty' } },
      { list_id: list.id, email: 'bob@x.test', subscription_status: 'unsubscribed' },
    ]);
    expect((await lists()).data[0].list).not.toHaveProperty('contact_count');
    expect((await lists('?subscription_status=confirmed')).data).toHaveLength(1);
    await sql(`update contacts set unsubscribed = true, unsubscribed_at = now() where id = $1`, [bob]);
    expect((await lists()).data).toHaveLength(2);
    expect((await customer.call('GET', 'contacts/nobody/lists')).body.message).toBe('contact not found');
  });

  it('show contacts only with the scope to read them, checked before the list', async () => {
    const customer = new Customer();
    const list = await customer.list();
    const get = (id: string, query: string, scopes: string[]) =>
      customer.call('GET', `lists/${id}/contacts?${query}`, undefined, { scopes });
    expect((await get(list.id, 'include_contacts=false', ['lists:read'])).status).toBe(200);
    for (const id of [list.id, newId()]) {
      expect(await get(id, 'include_contacts=true', ['lists:read'])).toMatchObject({
        status: 403,
        body: { message: 'insufficient permissions for the required scope' },
      });
    }
    expect((await get(newId(), 'include_contacts=true', ['lists:read', 'contacts:read'])).status).toBe(404);
    expect((await get(list.id, 'include_contacts=1', ['*'])).body.message).toBe('invalid include_contacts');
    expect((await get(list.id, 'subscription_status=gone', ['*'])).status).toBe(400);
    expect((await get(list.id, 'after=x', ['*'])).body.message).toBe('invalid cursor');
  });
});

describe('POST …/lists/{id}/contacts/batch', () => {
  it('spec 3-marketing §2.3 rule 1, §2.3 rule 2, §2.3 rule 3, §2.3 rule 4: adds new members, leaves existing ones unchanged, and reports the outcome of each', async () => {
    const customer = new Customer();
    const list = await customer.list();
    const [ann, bob, cyd] = [
      await customer.contact('ann@x.test'),
      await customer.contact('bob@x.test'),
      await customer.contact('cyd@x.test'),
    ];
    const path = `lists/${list.id}/contacts`;
    const gone = await customer.call('PUT', `${path}/${bob}`, { subscription_status: 'unsubscribed' });
    const unknown = newId();
    const { status, body } = await customer.call('POST', `${path}/batch`, {
      data: [
        { email: 'Ann@x.test' },
        { id: ann },
        { id: bob },
        { id: unknown },
        { email: 'none@x.test' },
        { email: 'CYD@x.test' },
        { email: 'cyd@x.test' },
        { email: 'a', id: null },
        { id: cyd, extra: 1 },
        7,
        { id: ann, email: 'ann@x.test' },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list', added: 1, skipped: 2, failed: 8 });
    expect(body.data.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'added',
      'already_member',
      'already_member',
      'not_found',
      'not_found',
      'invalid',
      'invalid',
      'invalid',
      'invalid',
      'invalid',
      'invalid',
    ]);
    const [first, second, third, fourth, , sixth, , eighth, ninth, tenth, both] = body.data;
    expect(first).toEqual({
      position: 0,
      email: 'ann@x.test',
      outcome: 'added',
      membership: expect.objectContaining({ contact_id: ann, subscription_status: 'confirmed' }),
    });
    expect(second).toEqual({ position: 1, id: ann, outcome: 'already_member', membership: first.membership });
    expect(third.membership).toEqual(gone.body);
    expect(fourth).toEqual({ position: 3, id: unknown, outcome: 'not_found', reason: 'contact not found' });
    expect(sixth).toMatchObject({ email: 'cyd@x.test', reason: expect.any(String) });
    for (const one of [eighth, both]) expect(Object.keys(one)).toEqual(['position', 'outcome', 'reason']);
    expect(ninth).toMatchObject({ id: cyd });
    expect(tenth).toEqual({ position: 9, outcome: 'invalid', reason: expect.any(String) });
    expect(await customer.count(list.id)).toBe(1);
  });

  it.each<[unknown, string]>([
    [[], 'invalid request body'],
    [{}, 'data is required'],
    [{ data: null }, 'data must be an array'],
    [{ data: {} }, 'data must be an array'],
    [{ data: [] }, 'data must have at least 1 items'],
    [{ data: Array.from({ length: 1_001 }, () => ({})) }, 'data must have at most 1000 items'],
    [{ data: [{}], more: 1 }, 'unknown field: more'],
  ])('spec 3-marketing §2.3 rule 5: refuses the whole of %j', async (body, message) => {
    const customer = new Customer();
    const list = await customer.list();
    expect(await customer.call('POST', `lists/${list.id}/contacts/batch`, body)).toMatchObject({
      status: 400,
      body: { message },
    });
    expect((await customer.call('POST', 'lists/7/contacts/batch', body)).body.message).toBe(
      'invalid list_id',
    );
  });

  it('spec 3-marketing §2.3 rule 5, §2.3 rule 6: is stored with its response, a 404 too', async () => {
    const customer = new Customer();
    const list = await customer.list();
    await customer.contact('ann@x.test');
    const add = (of: string, key: string) =>
      customer.call(
        'POST',
        `lists/${of}/contacts/batch`,
        { data: [{ email: 'ann@x.test' }] },
        { headers: { 'idempotency-key': key } },
      );
    const first = await add(list.id, 'one');
    const again = await add(list.id, 'one');
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(again.body.added).toBe(1);
    const none = newId();
    expect((await add(none, 'two')).status).toBe(404);
    expect((await add(none, 'two')).headers['idempotent-replayed']).toBe('true');
  });

  it('adds a thousand with as few statements as one', async () => {
    const customer = new Customer();
    const list = await customer.list();
    const emails = Array.from({ length: 1_000 }, (_, nth) => `c${nth}@x.test`);
    await sql(
      `insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status,
         status_reason, unsubscribed, attributes)
       select gen_random_uuid(), $1, now(), now(), email, '', '', 'enabled', '', false, '{}'
         from unnest($2::text[]) as given(email)`,
      [customer.id, emails],
    );
    const statements = async (data: object[]): Promise<number> => {
      const source = marketing.service.get(DataSource);
      let count = 0;
      const logger = source.logger;
      // background work of the process reads its rows from time to time
      const isOurs = (query: string) =>
        /memberships|contacts|lists|idempotency/.test(query) && !/list_count_deltas|campaign/.test(query);
      Object.assign(source, {
        logger: { ...logger, logQuery: (query: string) => (count += isOurs(query) ? 1 : 0) },
      });
      const { body } = await customer.call('POST', `lists/${list.id}/contacts/batch`, { data });
      Object.assign(source, { logger });
      expect(body.added).toBe(data.length);
      return count;
    };
    const [first, ...others] = emails.map((email) => ({ email }));
    const one = await statements([first ?? {}]);
    expect(await statements(others)).toBe(one);
    expect(one).toBeGreaterThan(2);
    expect(one).toBeLessThanOrEqual(8);
    expect(await customer.count(list.id)).toBe(1_000);
  });
});

describe('spec 3-marketing §2.1 contact_count', () => {
  it('is exact at the next read after each kind of change', async () => {
    const customer = new Customer();
    const { id } = await customer.list();
    const [ann, bob] = [await customer.contact(), await customer.contact()];
    const data = [{ id: ann }, { id: bob }];
    await customer.call('POST', `lists/${id}/contacts/batch`, { data });
    expect(await customer.count(id)).toBe(2);
    const member = `lists/${id}/contacts/${ann}`;
    for (const [path, body, expected] of [
      [`contacts/${bob}`, { status: 'disabled' }, 1],
      [`contacts/${bob}`, { status: 'enabled' }, 2],
      [`contacts/${bob}`, { unsubscribed: true }, 1],
      [`contacts/${bob}`, { unsubscribed: false }, 2],
      [member, { subscription_status: 'unconfirmed' }, 1],
      [member, { subscription_status: 'confirmed' }, 2],
      [`lists/${id}`, { name: 'Renamed' }, 2],
    ] as const) {
      expect((await customer.call('PUT', path, body)).status).toBe(200);
      expect([path, body, await customer.count(id)]).toEqual([path, body, expected]);
    }
    expect((await customer.call('DELETE', member)).status).toBe(200);
    expect(await customer.count(id)).toBe(1);
    expect((await customer.call('DELETE', `contacts/${bob}`)).status).toBe(200);
    expect(await customer.count(id)).toBe(0);
  });

  it('is exact before and after it is folded', async () => {
    const customer = new Customer();
    const list = await customer.list();
    const ids = [await customer.contact(), await customer.contact(), await customer.contact()];
    const data = ids.map((id) => ({ id }));
    await customer.call('POST', `lists/${list.id}/contacts/batch`, { data });
    const counts = async () => [
      await customer.count(list.id),
      (await customer.call('GET', 'lists')).body.data[0].contact_count,
    ];
    expect(await counts()).toEqual([3, 3]);
    await marketing.service.get(FoldCounts).fold(new AbortController().signal);
    expect(await sql('select from list_count_deltas where list_id = $1', [list.id])).toEqual([]);
    expect(await counts()).toEqual([3, 3]);
    await customer.call('DELETE', `lists/${list.id}/contacts/${ids[0]}`);
    expect(await counts()).toEqual([2, 2]);
    expect((await customer.call('PUT', `lists/${list.id}`, { name: 'New' })).body.contact_count).toBe(2);
  });
});
