import { KeyLookupResponse } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';

const database = testDatabase();
let accounts: TestService;
let id: string;

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, { databaseUrl: database.url });
  const made = await accounts.internal('POST', '/operator/accounts', {
    name: 'Shop',
    owner_email: 'owner@mail.test',
  });
  id = made.body.id;
});
afterAll(() => accounts.stop());

const path = () => `/v2/accounts/${id}`;
const get = async () => (await accounts.call('GET', path(), { account_id: id })).body;
const put = (body: unknown, more: object = {}) =>
  accounts.call('PUT', path(), { account_id: id, body, ...more });
const sql = (text: string, parameters: unknown[] = []) =>
  accounts.service.get(DataSource).query(text, parameters);

describe('§7 update the account', () => {
  it('changes every field, responds with the account after the update, and audits the change', async () => {
    const before = await get();
    const body = {
      name: 'Shop Ltd',
      website: 'shop.example',
      about: 'Line one\nline two',
      track_opens: true,
      track_clicks: true,
      reject_bad_recipients: true,
      reject_mistyped_recipients: true,
      message_metadata_retention: 30,
      message_data_retention: 0,
    };
    const changed = await put({ ...body, name: '  Shop Ltd ', website: 'https://shop.example/team' });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...before, ...body, updated_at: expect.stringMatching(/Z$/) });
    expect(changed.body.updated_at >= before.updated_at).toBe(true);
    expect(await get()).toEqual(changed.body);
    const [entry] = await sql(
      `select actor_kind, details from audit_entries where account_id = $1 and action = 'account.update'`,
      [id],
    );
    expect(entry).toEqual({ actor_kind: 'api-key', details: body });
  });

  it.each([[{}], [{ name: null, track_opens: null, website: null, message_data_retention: null }]])(
    '1. %j is 200 and changes nothing',
    async (body) => {
      const before = await get();
      const same = { name: before.name, track_opens: before.track_opens };
      const row = () => sql('select revision, updated_at from accounts where id = $1', [id]);
      const rowBefore = await row();
      for (const one of [body, same]) {
        const response = await put(one);
        expect([response.status, response.body]).toEqual([200, before]);
      }
      expect(await row()).toEqual(rowBefore);
    },
  );

  it.each([
    [{ website: '' }, { website: '' }],
    [{ website: ' Shop.EXAMPLE. ' }, { website: 'shop.example' }],
    [{ about: '' }, { about: '' }],
    [{ about: '😀'.repeat(10_000) }, { about: '😀'.repeat(10_000) }],
    [{ name: 'ä'.repeat(255) }, { name: 'ä'.repeat(255) }],
    [{ message_metadata_retention: 1 }, { message_metadata_retention: 1 }],
    [{ message_data_retention: 30 }, { message_data_retention: 30 }],
  ])('takes case %#', async (body, shown) => {
    const response = await put(body);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject(shown);
    expect(await get()).toEqual(response.body);
  });

  it.each([
    [{ name: '' }, 'name must not be empty'],
    [{ name: '   ' }, 'name must not be empty'],
    [{ name: 'a'.repeat(256) }, 'name must be at most 255 characters'],
    [{ name: 'a\u0000' }, 'name must not contain control characters'],
    [{ name: 7 }, 'name must be a string'],
    [{ website: 'nonsense' }, 'website must be a valid URL'],
    [{ website: 'https://192.0.2.1/' }, 'website must be a valid URL'],
    [{ website: 'ftp://shop.example' }, 'website must be a valid URL'],
    [{ website: `https://shop.example/${'a'.repeat(250)}` }, 'website must be at most 255 characters'],
    [{ website: 7 }, 'website must be a string'],
    [{ about: 'a'.repeat(10_001) }, 'about must be at most 10000 characters'],
    [{ about: 'a\u0000' }, 'about must not contain control characters'],
    [{ track_opens: 'true' }, 'track_opens must be a boolean'],
    [{ track_clicks: 1 }, 'track_clicks must be a boolean'],
    [{ reject_bad_recipients: 'x' }, 'reject_bad_recipients must be a boolean'],
    [{ reject_mistyped_recipients: [] }, 'reject_mistyped_recipients must be a boolean'],
    [{ message_metadata_retention: 0 }, 'message_metadata_retention must be at least 1'],
    [{ message_metadata_retention: 31 }, 'message_metadata_retention must be at most 30'],
    [{ message_metadata_retention: 1.5 }, 'message_metadata_retention must be an integer'],
    [{ message_metadata_retention: '7' }, 'message_metadata_retention must be a number'],
    [{ message_data_retention: -1 }, 'message_data_retention must be at least 0'],
    [{ message_data_retention: 31 }, 'message_data_retention must be at most 30'],
    [{ object: 'account' }, 'object is not writable'],
    [{ id: newId() }, 'id is not writable'],
    [{ parent_account_id: null }, 'parent_account_id is not writable'],
    [{ created_at: '2026-01-01T00:00:00Z' }, 'created_at is not writable'],
    [{ updated_at: '2026-01-01T00:00:00Z' }, 'updated_at is not writable'],
    [{ owner_id: newId() }, 'owner_id is not writable'],
    [{ monthly_credit: 5 }, 'unknown field: monthly_credit'],
    [{ about: 7, website: 'nonsense' }, 'website must be a valid URL'],
  ])('refuses case %#', async (body, message) => {
    const before = await get();
    const refused = await put(body);
    expect([refused.status, refused.body]).toEqual([400, { message }]);
    expect(await get()).toEqual(before);
  });

  it.each(['', '[]', 'null', '7', '{"name":'])('refuses the body %j', async (text) => {
    const refused = await accounts.call('PUT', path(), { account_id: id, text });
    expect([refused.status, refused.body]).toEqual([400, { message: 'invalid request body' }]);
  });

  it('needs the scope accounts:write', async () => {
    expect((await put({}, { scopes: ['accounts:read'] })).status).toBe(403);
    expect((await put({}, { scopes: ['accounts:write'] })).status).toBe(200);
  });

  it('shows the host of a website that an earlier release stored as a URL', async () => {
    await sql('update accounts set website = $2 where id = $1', [id, 'https://Old.Example/about']);
    expect(await get()).toMatchObject({ website: 'old.example' });
  });

  it('is the same for a sub-account', async () => {
    const child = newId();
    await sql(
      `insert into accounts (id, parent_account_id, name, platform_partner, owner_id, created_at, updated_at)
       select $2, id, 'Child', platform_partner, owner_id, now(), now() from accounts where id = $1`,
      [id, child],
    );
    const update = (website: string) =>
      accounts.call('PUT', `/v2/accounts/${child}`, { account_id: child, body: { website } });
    expect((await update('https://Acme.Example.com/shop')).body).toMatchObject({
      parent_account_id: id,
      website: 'acme.example.com',
    });
    const refused = await update('https://192.0.2.1/');
    expect([refused.status, refused.body]).toEqual([400, { message: 'website must be a valid URL' }]);
  });

  it('is visible to the next look-up of a key', async () => {
    const key = await accounts.internal('POST', `/operator/accounts/${id}/api-keys`, {
      label: 'k',
      scopes: ['*'],
    });
    const hashes = accounts.service
      .get(Pepper)
      .candidates(key.body.secret_key)
      .map((hash) => hash.toString('base64'));
    const lookUp = async () =>
      KeyLookupResponse.parse((await accounts.internal('POST', '/internal/keys/lookup', { hashes })).body);
    await put({ track_opens: false });
    const before = await lookUp();
    await put({ track_opens: true, message_data_retention: 3 });
    const after = await lookUp();
    expect(after.keys[0]?.principal.account).toMatchObject({ track_opens: true, message_data_retention: 3 });
    expect(after.revision).toBe(before.revision + 1);
    await put({ about: 'No gateway needs to know this.' });
    expect((await lookUp()).revision).toBe(after.revision);
  });
});
