import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFamily, type Family } from './testing/family.js';

const database = testDatabase();
let family: Family;

beforeAll(async () => {
  family = await startFamily(database.url);
});
afterAll(() => family.accounts.stop());

const call: Family['call'] = (...request) => family.call(...request);
const create = (body: object, more: object = {}) =>
  call('POST', '', { body: { name: 'Acme', website: 'acme.test', ...body }, ...more });
const operate = (path: string, body?: unknown) => family.accounts.internal('POST', `/operator/${path}`, body);
const states = (id: string) => family.states(id);

describe('§10.3 creating a sub-account', () => {
  it('makes an active account of its own with the defaults of new accounts and the owner of its parent', async () => {
    const made = await create({ name: ' Acme ', website: 'https://Shop.Acme.test/x', monthly_credit: 5 });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      object: 'sub_account',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      parent_account_id: family.parent,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
      name: 'Acme',
      website: 'shop.acme.test',
      status: 'active',
      monthly_credit: 5,
      domain_count: 0,
      member_count: 0,
      last_activity_at: null,
    });
    const account = await family.accounts.call('GET', `/v2/accounts/${made.body.id}`, {
      account_id: made.body.id,
    });
    const parent = await family.accounts.call('GET', `/v2/accounts/${family.parent}`, {
      account_id: family.parent,
    });
    expect(account.body).toMatchObject({
      parent_account_id: family.parent,
      website: 'shop.acme.test',
      about: '',
      track_opens: false,
      track_clicks: false,
      reject_bad_recipients: false,
      reject_mistyped_recipients: false,
      message_metadata_retention: 7,
      message_data_retention: 7,
      owner_id: parent.body.owner_id,
    });
    await expect.poll(() => states(made.body.id)).toEqual(['active']);
  });

  it.each([
    [{ name: undefined }, 'name is required'],
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: 'é'.repeat(256) }, 'name must be at most 255 characters'],
    [{ website: undefined }, 'website is required'],
    [{ website: '' }, 'website must not be empty'],
    [{ website: 'acme' }, 'website must be a valid URL'],
    [{ website: 'ftp://acme.test' }, 'website must be a valid URL'],
    [{ website: 'acme', monthly_credit: -1 }, 'website must be a valid URL'],
    [{ website: `https://acme.test/${'a'.repeat(255)}` }, 'website must be at most 255 characters'],
    [{ monthly_credit: -1 }, 'monthly_credit must be at least 0'],
    [{ monthly_credit: 1_000_000_001 }, 'monthly_credit must be at most 1000000000'],
    [{ monthly_credit: 1.5 }, 'monthly_credit must be an integer'],
    [{ monthly_credit: '1' }, 'monthly_credit must be a number'],
    [{ status: 'active' }, 'status is not writable'],
    [{ about: 'x' }, 'unknown field: about'],
  ])('refuses %j', async (body, message) => {
    const refused = await create(body);
    expect([refused.status, refused.body]).toEqual([400, { message }]);
  });

  it('takes the bounds of the credit, null for none, and names that others have', async () => {
    const credits = await Promise.all(
      [0, 1_000_000_000, null].map(
        async (credit) => (await create({ monthly_credit: credit })).body.monthly_credit,
      ),
    );
    expect(credits).toEqual([0, 1_000_000_000, 0]);
  });

  it('is done once for one idempotency key', async () => {
    const headers = { 'idempotency-key': newId() };
    const [first, again] = [await create({}, { headers }), await create({}, { headers })];
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.text,
      'true',
    ]);
  });
});

describe('§10.1 rule 1, 2 partners only', () => {
  const OFF = { message: 'sub accounts are not enabled for this account' };

  it.each([
    ['without the partner flag', { platform_partner: false }],
    ['of a sub-account, whatever its scopes', { parent_account_id: newId() }],
  ])('an account %s is refused everything', async (_which, account) => {
    const child = await family.child();
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/usage'],
      ['GET', `/${child}`],
      ['PUT', `/${child}`],
      ['DELETE', `/${child}`],
      ['POST', `/${child}/suspend`],
      ['POST', `/${child}/unsuspend`],
      ['GET', `/${child}/api-keys`],
      ['POST', `/${child}/api-keys`],
      ['GET', `/${child}/api-keys/${newId()}`],
      ['PUT', `/${child}/api-keys/${newId()}`],
      ['DELETE', `/${child}/api-keys/${newId()}`],
    ] as const) {
      for (const scopes of [['*'], []]) {
        const refused = await call(method, rest, { account, scopes, body: {} });
        expect([method, rest, refused.status, refused.body]).toEqual([method, rest, 403, OFF]);
      }
    }
  });
});

describe('§10.3 reading sub-accounts', () => {
  it('shows domains, members and activity, with one question to each neighbour for a whole page', async () => {
    const [one, two] = [await family.child(), await family.child()];
    family.neighbours.domains.set('one.test', { owner: one, id: newId() });
    family.neighbours.domains.set('two.test', { owner: one, id: newId() });
    family.neighbours.activity.set(two, '2026-01-01T00:00:00.000Z');
    await family.sql(
      `insert into members (account_id, user_id, role, created_at, updated_at)
       select $1, owner_id, 'Developer', now(), now() from accounts where id = $1`,
      [two],
    );
    family.neighbours.asked.length = 0;
    const { body } = await call('GET', '?limit=2');
    expect(family.neighbours.asked.toSorted()).toEqual([
      'POST /internal/accounts/activity',
      'POST /internal/domains/counts',
    ]);
    expect(body.data).toMatchObject([
      { id: two, domain_count: 0, member_count: 1, last_activity_at: '2026-01-01T00:00:00.000Z' },
      { id: one, domain_count: 2, member_count: 0, last_activity_at: null },
    ]);
    expect((await call('GET', `/${one}`)).body).toEqual(body.data[1]);
  });

  it('§1.3 pages newest first, forwards and back', async () => {
    for (let at = 0; at < 3; at += 1) await family.child();
    const first = await call('GET', '?limit=2');
    const second = await call('GET', `?limit=2&after=${first.body.pagination.next_cursor}`);
    const back = await call('GET', `?limit=2&before=${second.body.pagination.previous_cursor}`);
    expect(back.body.data).toEqual(first.body.data);
    const seen = [...first.body.data, ...second.body.data].map((one: { id: string }) => one.id);
    const rows = await family.sql(
      `select id from accounts where parent_account_id = $1 and deleted_at is null
       order by created_at desc, id desc limit 4`,
      [family.parent],
    );
    expect(seen).toEqual(rows.map((row) => row.id));
  });

  it('fails when a neighbour is away, and then does not change anything either', async () => {
    const child = await family.child();
    family.neighbours.away = true;
    const answers = [
      await call('GET', ''),
      await call('GET', `/${child}`),
      await call('GET', '/usage'),
      await call('PUT', `/${child}`, { body: { name: 'Other' } }),
      await call('POST', `/${child}/suspend`, { body: { reason: 'x' } }),
    ];
    family.neighbours.away = false;
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    expect((await call('GET', `/${child}`)).body).toMatchObject({ name: 'Acme', status: 'active' });
  });

  it.each([
    ['GET', '/nonsense', 400, 'invalid sub_account_id'],
    ['DELETE', '/nonsense', 400, 'invalid sub_account_id'],
    ['GET', `/${newId()}`, 404, 'sub account not found'],
    ['DELETE', `/${newId()}`, 404, 'sub account not found'],
    ['POST', `/${newId()}/unsuspend`, 404, 'sub account not found'],
    ['GET', '?limit=0', 400, 'limit must be between 1 and 100'],
  ] as const)('%s %s is %d', async (method, rest, status, message) => {
    const refused = await call(method, rest);
    expect([refused.status, refused.body]).toEqual([status, { message }]);
  });

  it("§10.1 rule 4 does not know another parent's child, nor a parent as its own child", async () => {
    const other = await operate('accounts', { name: 'Other', owner_email: 'owner@other.test' });
    const child = await family.child();
    for (const [account_id, id] of [
      [other.body.id, child],
      [family.parent, other.body.id],
      [family.parent, family.parent],
    ]) {
      for (const method of ['GET', 'DELETE'] as const) {
        expect((await call(method, `/${id}`, { account_id })).status).toBe(404);
      }
      const suspended = await call('POST', `/${id}/suspend`, { account_id, body: { reason: 'x' } });
      expect(suspended.status).toBe(404);
    }
    expect((await call('GET', `/${child}`)).body.status).toBe('active');
  });
});

describe('§10.3 updating a sub-account', () => {
  it('changes what is given, and leaves what is null', async () => {
    const child = await family.child({ monthly_credit: 7 });
    const changed = await call('PUT', `/${child.toUpperCase()}`, {
      body: { name: ' Other ', website: 'HTTP://Other.test:8080', monthly_credit: null },
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ name: 'Other', website: 'other.test', monthly_credit: 7 });
    expect((await call('PUT', `/${child}`, { body: { monthly_credit: 0 } })).body.monthly_credit).toBe(0);
  });

  it.each([
    [{}, 400, 'at least one field must be provided'],
    [{ name: null }, 400, 'at least one field must be provided'],
    [{ name: 'Acme', website: 'https://acme.test/', monthly_credit: 0 }, 400, 'no changes to apply'],
    [{ website: 'x' }, 400, 'website must be a valid URL'],
    [{ domain_count: 1 }, 400, 'domain_count is not writable'],
  ])('%j is %d', async (body, status, message) => {
    const refused = await call('PUT', `/${await family.child()}`, { body });
    expect([refused.status, refused.body]).toEqual([status, { message }]);
  });

  it('§10.4 rule 6 tells every gateway of a new credit', async () => {
    const child = await family.child();
    const [before] = await family.sql('select max(revision) as at from key_changes');
    await call('PUT', `/${child}`, { body: { monthly_credit: 9 } });
    const told = await family.sql('select account_ids from key_changes where revision > $1', [before.at]);
    expect(told).toEqual([{ account_ids: [child] }]);
  });

  it('is allowed while it is suspended', async () => {
    const child = await family.child();
    await call('POST', `/${child}/suspend`, { body: { reason: 'x' } });
    const changed = await call('PUT', `/${child}`, { body: { name: 'Other' } });
    expect(changed.body).toMatchObject({ name: 'Other', status: 'suspended' });
  });
});

describe('what other services ask', () => {
  const ask = (parent: string, child: string) =>
    family.accounts.internal('GET', `/internal/accounts/${parent}/sub-accounts/${child}`);

  it('is whose child an account is', async () => {
    const child = await family.child();
    const known = await ask(family.parent, child);
    expect([known.status, known.body]).toEqual([
      200,
      { account_id: child, parent_account_id: family.parent },
    ]);
    expect((await ask(newId(), child)).status).toBe(404);
    await call('DELETE', `/${child}`);
    expect((await ask(family.parent, child)).status).toBe(404);
    expect((await ask(family.parent, 'nonsense')).status).toBe(400);
  });
});
