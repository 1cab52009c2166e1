import { beforeAll, describe, expect, it } from 'vitest';
import { expectError, sharedInstallation, TIMESTAMP, unique, UUID_V7, type Account } from './harness.js';
import { ok } from './sender.js';

const postmesh = sharedInstallation();
let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  postmesh.api(account.key, method, `{A}/${path}`, {
    ...(body === undefined ? {} : { body }),
    ...(headers ? { headers } : {}),
  });
const list = async (body: object = {}) => ok(await api('POST', 'lists', { name: 'List', ...body }), 201);
const contact = async (): Promise<{ id: string; email: string }> =>
  ok(await api('POST', 'contacts', { email: `${unique('Ann')}@X.test` }), 201);
const count = async (id: string): Promise<number> => ok(await api('GET', `lists/${id}`), 200).contact_count;
const idsOf = (page: { data: { id?: string; contact_id?: string; list_id?: string }[] }) =>
  page.data.map(({ id, contact_id }) => id ?? contact_id);

describe('spec 3-marketing §2.3 POST lists', () => {
  it('spec 3-marketing §2.3 L1, L5: makes a list of its own each time, with nobody on it', async () => {
    const given = { name: 'Product updates', description: 'Monthly release notes', tags: ['product'] };
    const made = ok(await api('POST', 'lists', given), 201);
    expect(made).toEqual({
      object: 'contact_list',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: made.created_at,
      ...given,
      contact_count: 0,
    });
    expect((await list(given)).id).not.toBe(made.id);
    expect(ok(await api('GET', `lists/${made.id}`), 200)).toEqual(made);
  });

  it('spec 3-marketing §2.3 L1, L2, L3, L4: says what is wrong with a list', async () => {
    for (const [body, message] of [
      [{}, 'name is required'],
      [{ name: null }, 'name must be a string'],
      [{ name: '  ' }, 'name must not be empty'],
      [{ name: 'a', description: 'x'.repeat(1_001) }, 'description must be at most 1000 characters'],
      [{ name: 'a', tags: [null] }, 'tags[0] must be a string'],
      [
        { name: 'a', tags: Array.from({ length: 51 }, (_, nth) => `t${nth}`) },
        'tags must have at most 50 items',
      ],
      [{ name: 7, contact_count: 1 }, 'unknown field: contact_count'],
    ] as const) {
      expectError(await api('POST', 'lists', body), 400, message);
    }
  });

  it('spec 3-marketing §2.3 L2, L3, L7: trims, counts characters, and tidies tags before it counts them', async () => {
    const tags = Array.from({ length: 50 }, (_, nth) => `t${nth}`);
    const made = await list({
      name: '  a  ',
      description: null,
      tags: [...tags, ...tags.slice(0, 9).map((tag) => ` ${tag} `), ' '],
    });
    expect(made).toMatchObject({ name: 'a', description: '', tags });
    expect((await list({ name: '😀'.repeat(255) })).tags).toEqual([]);
    expectError(
      await api('POST', 'lists', { name: '😀'.repeat(256) }),
      400,
      'name must be at most 255 characters',
    );
  });

  it('spec 3-marketing §2.3 L6: the same key replays the same list, and a stored 400', async () => {
    const name = unique('Once');
    const headers = { 'idempotency-key': unique('key') };
    const first = await api('POST', 'lists', { name }, headers);
    const again = await api('POST', 'lists', { name }, headers);
    expect(again.bytes.toString()).toBe(first.bytes.toString());
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await api('POST', 'lists', { name: 'Other' }, headers)).status).toBe(422);
    expect(idsOf(ok(await api('GET', `lists?name=${name.toUpperCase()}`), 200))).toEqual([first.body.id]);
    const wrong = { 'idempotency-key': unique('key') };
    expect((await api('POST', 'lists', {}, wrong)).headers).not.toHaveProperty('idempotent-replayed');
    const replayed = await api('POST', 'lists', {}, wrong);
    expect([replayed.status, replayed.headers['idempotent-replayed']]).toEqual([400, 'true']);
  });
});

describe('spec 3-marketing §2.3 a list', () => {
  it('spec 3-marketing §2.3 is found by a part of its name, changed field by field, and paged', async () => {
    const name = unique('50%_Off');
    const made = await list({ name, tags: ['a'] });
    const { data, pagination } = ok(
      await api('GET', `lists?name=${encodeURIComponent('%_OFF')}&limit=1`),
      200,
    );
    expect(data).toEqual([made]);
    expect(pagination).toEqual({ has_more: false, next_cursor: null, previous_cursor: null });
    expect(ok(await api('PUT', `lists/${made.id}`, {}), 200)).toEqual(made);
    const changed = ok(await api('PUT', `lists/${made.id}`, { name: null, description: 'D', tags: [] }), 200);
    expect(changed).toMatchObject({ name, description: 'D', tags: [] });
    expectError(await api('GET', 'lists/7'), 400, 'invalid list_id');
    expectError(await api('GET', `lists/${account.id}`), 404, 'list not found');
  });

  it('spec 3-marketing §2.3 is gone once it is deleted, and what its members said is kept', async () => {
    const { id } = await list();
    const ann = await contact();
    ok(await api('PUT', `lists/${id}/contacts/${ann.id}`, { subscription_status: 'unsubscribed' }), 200);
    const message = `list ${id} (List) deleted successfully`;
    expect(ok(await api('DELETE', `lists/${id}`), 200)).toEqual({ message });
    expectError(await api('DELETE', `lists/${id}`), 404, 'list not found');
    expect(ok(await api('GET', `contacts/${ann.id}/lists`), 200).data).toEqual([]);
    expect(
      await postmesh.sql('select subscription_status from marketing.memberships where list_id = $1', [id]),
    ).toEqual([{ subscription_status: 'unsubscribed' }]);
  });

  it('spec 3-marketing §2.3 is not deleted while a campaign that is not finished names it', async () => {
    const { id } = await list();
    const campaign = ok(await api('POST', 'campaigns', { name: 'Spring', list_ids: [id] }), 201);
    const refused = await api('DELETE', `lists/${id}`);
    expectError(refused, 409, 'list is used by a campaign that is not finished');
    expect(refused.headers).not.toHaveProperty('idempotent-replayed');
    ok(await api('DELETE', `campaigns/${campaign.id}`), 200);
    ok(await api('DELETE', `lists/${id}`), 200);
  });
});

describe('spec 3-marketing §2.3 memberships', () => {
  it('spec 3-marketing §2.2 §2.4 are made and changed by PUT, and removed by DELETE', async () => {
    const { id } = await list();
    const { id: contact_id, email } = await contact();
    const path = `lists/${id}/contacts/${encodeURIComponent(email)}`;
    const made = ok(await api('PUT', path, {}), 200);
    expect(made).toEqual({
      object: 'list_contact',
      list_id: id,
      contact_id,
      email: email.toLowerCase(),
      subscription_status: 'confirmed',
      subscribed_at: made.created_at,
      unsubscribed_at: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: made.created_at,
    });
    const left = ok(await api('PUT', path, { subscription_status: 'unsubscribed' }), 200);
    expect(left).toMatchObject({ subscribed_at: made.subscribed_at, unsubscribed_at: left.updated_at });
    expect(ok(await api('PUT', path, {}), 200)).toEqual(left);
    expectError(await api('PUT', `lists/${id}/contacts/nobody`, {}), 404, 'contact not found');
    expect((await api('PUT', path, { subscription_status: 'complained' })).status).toBe(400);
    expect((await api('PUT', path)).status).toBe(400);
    expect(ok(await api('DELETE', path), 200).message).toBe(`contact ${contact_id} removed from list ${id}`);
    expectError(await api('DELETE', path), 404, 'contact is not on this list');
  });

  it('spec 3-marketing §2.4 a complaint freezes one for ever', async () => {
    const { id } = await list();
    const ann = await contact();
    const path = `lists/${id}/contacts/${ann.id}`;
    ok(await api('PUT', path, {}), 200);
    await postmesh.sql(
      `update marketing.memberships set subscription_status = 'complained' where list_id = $1`,
      [id],
    );
    const message = 'the contact reported this list as spam, its membership cannot be changed';
    for (const response of [await api('PUT', path, {}), await api('DELETE', path)]) {
      expectError(response, 409, message);
    }
    expect(await count(id)).toBe(0);
  });

  it('spec 3-marketing §2.3 are listed with contacts only for who may read contacts', async () => {
    const { id } = await list();
    const ann = await contact();
    ok(await api('PUT', `lists/${id}/contacts/${ann.id}`, {}), 200);
    const key = await postmesh.newKey(account, { scopes: ['lists:read'] });
    const get = (of: string, caller = account.key) =>
      postmesh.api(caller, 'GET', `{A}/lists/${of}/contacts?include_contacts=true`);
    expect(ok(await get(id), 200).data).toMatchObject([
      { contact_id: ann.id, contact: { object: 'contact', id: ann.id } },
    ]);
    for (const of of [id, account.id]) {
      expectError(await get(of, key), 403, 'insufficient permissions for the required scope');
    }
    const other = await postmesh.api(key, 'GET', `{A}/lists/${id}/contacts?email=${ann.email.toUpperCase()}`);
    expect(idsOf(ok(other, 200))).toEqual([ann.id]);
    expect(ok(await api('GET', `lists/${id}/contacts?subscription_status=complained`), 200).data).toEqual([]);
    expect(ok(await api('GET', `contacts/${ann.id}/lists`), 200).data).toMatchObject([
      { list_id: id, list: { id, name: 'List' } },
    ]);
  });

  it('spec 3-marketing §2.3 rule 1, §2.3 rule 2, §2.3 rule 3, §2.3 rule 4: a batch adds who is not there and says what became of each', async () => {
    const { id } = await list();
    const [ann, bob] = [await contact(), await contact()];
    ok(await api('PUT', `lists/${id}/contacts/${bob.id}`, { subscription_status: 'unsubscribed' }), 200);
    const data = [
      { email: ann.email },
      { id: ann.id },
      { id: bob.id },
      { email: 'nobody@x.test' },
      { email: 'Twice@x.test' },
      { email: 'twice@x.test' },
      { id: ann.id, email: ann.email },
      'ann',
    ];
    const result = ok(await api('POST', `lists/${id}/contacts/batch`, { data }), 200);
    expect(result).toMatchObject({ object: 'list', added: 1, skipped: 2, failed: 5 });
    expect(result.data.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'added',
      'already_member',
      'already_member',
      'not_found',
      'invalid',
      'invalid',
      'invalid',
      'invalid',
    ]);
    expect(result.data[2].membership.subscription_status).toBe('unsubscribed');
    expect(result.data[4]).toEqual({
      position: 4,
      email: 'twice@x.test',
      outcome: 'invalid',
      reason: expect.any(String),
    });
    expect(Object.keys(result.data[6])).toEqual(['position', 'outcome', 'reason']);
    expect(await count(id)).toBe(1);
  });

  it('spec 3-marketing §2.3 rule 5, §2.3 rule 6: a batch refuses a body that is none, and stores what it answers', async () => {
    const { id } = await list();
    const ann = await contact();
    const path = `lists/${id}/contacts/batch`;
    for (const [body, message] of [
      [{}, 'data is required'],
      [{ data: null }, 'data must be an array'],
      [{ data: [] }, 'data must have at least 1 items'],
      [{ data: Array.from({ length: 1_001 }, () => 1) }, 'data must have at most 1000 items'],
      [{ data: [1], list: id }, 'unknown field: list'],
    ] as const) {
      expectError(await api('POST', path, body), 400, message);
    }
    const headers = { 'idempotency-key': unique('key') };
    const first = await api('POST', path, { data: [{ id: ann.id }] }, headers);
    const again = await api('POST', path, { data: [{ id: ann.id }] }, headers);
    expect(ok(first, 200).added).toBe(1);
    expect([again.headers['idempotent-replayed'], again.body]).toEqual(['true', first.body]);
  });
});

describe('spec 3-marketing §2.1 contact_count', () => {
  it('spec 3-marketing §2.1 is exact at the next read after each kind of change', async () => {
    const { id } = await list();
    const [ann, bob] = [await contact(), await contact()];
    const data = [{ id: ann.id }, { id: bob.id }];
    ok(await api('POST', `lists/${id}/contacts/batch`, { data }), 200);
    expect(await count(id)).toBe(2);
    const member = `lists/${id}/contacts/${ann.id}`;
    for (const [path, body, expected] of [
      [`contacts/${bob.id}`, { status: 'disabled' }, 1],
      [`contacts/${bob.id}`, { status: 'enabled' }, 2],
      [`contacts/${bob.id}`, { unsubscribed: true }, 1],
      [`contacts/${bob.id}`, { unsubscribed: false }, 2],
      [member, { subscription_status: 'unconfirmed' }, 1],
      [member, { subscription_status: 'confirmed' }, 2],
      [`lists/${id}`, { name: 'Renamed' }, 2],
    ] as const) {
      ok(await api('PUT', path, body), 200);
      expect([path, body, await count(id)]).toEqual([path, body, expected]);
    }
    ok(await api('DELETE', member), 200);
    expect(await count(id)).toBe(1);
    ok(await api('DELETE', `contacts/${bob.id}`), 200);
    expect(await count(id)).toBe(0);
  });
});
