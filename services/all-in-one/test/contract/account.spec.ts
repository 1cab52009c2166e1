import { beforeAll, describe, expect, it } from 'vitest';
import { expectError, sharedInstallation, TIMESTAMP, unique, UUID, type Account } from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount({ website: 'https://example.com' });
});

const get = async (of = account) => (await postmesh.api(of.key, 'GET', '{A}')).body;
const put = (body: unknown, of = account) => postmesh.api(of.key, 'PUT', '{A}', { body });

interface MessageRow {
  track_opens: boolean;
  track_clicks: boolean;
  metadata_days: number;
  data_days: number;
}

const message = (domain: string, to = 'ann@mail.test') => ({
  from: { email: `news@${domain}` },
  to: [{ email: to }],
  subject: unique('Order'),
  text_content: 'Thanks!',
  html_content: '<p>Thanks!</p>',
});

/** Sends a message. @returns its stored record */
async function sentRow(domain: string, more: object = {}): Promise<MessageRow> {
  const body = { ...message(domain), ...more };
  const sent = await postmesh.api(account.key, 'POST', '{A}/messages/conversation', { body });
  expect(sent.status).toBe(202);
  const [row] = await postmesh.sql<MessageRow>(
    `select track_opens, track_clicks,
       round(extract(epoch from retain_metadata_until - created_at) / 86400)::int as metadata_days,
       round(extract(epoch from retain_data_until - created_at) / 86400)::int as data_days
     from messages.send_requests where subject = $1`,
    [body.subject],
  );
  if (!row) throw new Error('the message is not there');
  return row;
}

describe('§7 resource', () => {
  it('§7 shows the account with every field of the table and no other', async () => {
    const fresh = await postmesh.newAccount();
    expect(await get(fresh)).toEqual({
      object: 'account',
      id: fresh.id,
      parent_account_id: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      name: fresh.name,
      website: '',
      about: '',
      track_opens: false,
      track_clicks: false,
      reject_bad_recipients: false,
      reject_mistyped_recipients: false,
      message_metadata_retention: 7,
      message_data_retention: 7,
      owner_id: expect.stringMatching(UUID),
    });
  });

  it('§7 needs accounts:read to read and accounts:write to change', async () => {
    const reader = await postmesh.newKey(account, { scopes: ['accounts:read'] });
    const writer = await postmesh.newKey(account, { scopes: ['accounts:write'] });
    const apiError = 'insufficient permissions for the required scope';
    expect((await postmesh.api(reader, 'GET', '{A}')).status).toBe(200);
    expectError(await postmesh.api(reader, 'PUT', '{A}', { body: {} }), 403, apiError);
    expect((await postmesh.api(writer, 'PUT', '{A}', { body: {} })).status).toBe(200);
    expectError(await postmesh.api(writer, 'GET', '{A}'), 403, apiError);
  });
});

describe('§7 update', () => {
  it('§7 answers the account after the update, as the next read shows it', async () => {
    const before = await get();
    const body = {
      name: unique('Renamed'),
      website: 'acme.com',
      about: 'Two\nlines',
      track_opens: true,
      track_clicks: true,
      reject_bad_recipients: true,
      reject_mistyped_recipients: true,
      message_metadata_retention: 30,
      message_data_retention: 0,
    };
    const changed = await put({ ...body, name: `  ${body.name} `, website: 'https://acme.com/team' });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...before, ...body, updated_at: expect.stringMatching(TIMESTAMP) });
    expect(changed.body.updated_at > before.updated_at).toBe(true);
    expect(await get()).toEqual(changed.body);
  });

  it.each([
    [{ website: '' }, { website: '' }],
    [{ website: ' Example.COM. ' }, { website: 'example.com' }],
    [{ website: 'http://Example.com:8080/shop?a=1#b' }, { website: 'example.com' }],
    [{ website: 'https://bücher.example/' }, { website: 'xn--bcher-kva.example' }],
    [{ website: 'https://acme.com/team' }, { website: 'acme.com' }],
    [{ name: 'ä'.repeat(255) }, { name: 'ä'.repeat(255) }],
    [{ about: '' }, { about: '' }],
    [{ about: 'a'.repeat(10_000) }, { about: 'a'.repeat(10_000) }],
    [{ message_metadata_retention: 1 }, { message_metadata_retention: 1 }],
    [{ message_metadata_retention: 30 }, { message_metadata_retention: 30 }],
    [{ message_data_retention: 0 }, { message_data_retention: 0 }],
    [{ message_data_retention: 30 }, { message_data_retention: 30 }],
  ])('§7 table takes the bounds of every field, case %#', async (body, shown) => {
    const response = await put(body);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject(shown);
  });

  it.each([
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: 'a'.repeat(256) }, 'name must be at most 255 characters'],
    [{ name: 7 }, 'name must be a string'],
    [{ website: 'nonsense' }, 'website must be a valid URL'],
    [{ website: 'http://192.0.2.1/' }, 'website must be a valid URL'],
    [{ website: 'http://localhost:3000' }, 'website must be a valid URL'],
    [{ website: 'ftp://example.com' }, 'website must be a valid URL'],
    [{ website: 'javascript:alert(1)' }, 'website must be a valid URL'],
    [{ website: `https://example.com/${'a'.repeat(236)}` }, 'website must be at most 255 characters'],
    [{ about: 'a'.repeat(10_001) }, 'about must be at most 10000 characters'],
    [{ track_opens: 'true' }, 'track_opens must be a boolean'],
    [{ track_clicks: 1 }, 'track_clicks must be a boolean'],
    [{ reject_bad_recipients: 'no' }, 'reject_bad_recipients must be a boolean'],
    [{ reject_mistyped_recipients: {} }, 'reject_mistyped_recipients must be a boolean'],
    [{ message_metadata_retention: 0 }, 'message_metadata_retention must be at least 1'],
    [{ message_metadata_retention: 31 }, 'message_metadata_retention must be at most 30'],
    [{ message_metadata_retention: 1.5 }, 'message_metadata_retention must be an integer'],
    [{ message_data_retention: -1 }, 'message_data_retention must be at least 0'],
    [{ message_data_retention: 31 }, 'message_data_retention must be at most 30'],
    [{ object: 'account' }, 'object is not writable'],
    [{ id: 'x' }, 'id is not writable'],
    [{ parent_account_id: null }, 'parent_account_id is not writable'],
    [{ created_at: null }, 'created_at is not writable'],
    [{ updated_at: null }, 'updated_at is not writable'],
    [{ owner_id: 'x' }, 'owner_id is not writable'],
    [{ monthly_credit: 1 }, 'unknown field: monthly_credit'],
    [{ message_data_retention: 31, name: ' ' }, 'name must not be empty'],
  ])('§7 table refuses case %#: %j', async (body, message) => {
    const before = await get();
    expectError(await put(body), 400, message);
    expect(await get()).toEqual(before);
  });

  it('§7 ignores an idempotency key', async () => {
    const headers = { 'idempotency-key': unique('key') };
    for (const name of [unique('One'), unique('Two')]) {
      const response = await postmesh.api(account.key, 'PUT', '{A}', { body: { name }, headers });
      expect([response.status, response.body.name]).toEqual([200, name]);
      expect(response.headers['idempotent-replayed']).toBeUndefined();
    }
  });
});

describe('§7 rules', () => {
  it('§7 rule 1 omitted and null leave the value, and {} is 200 without a change', async () => {
    await put({ name: 'Kept', about: 'Kept', track_opens: true, message_data_retention: 3 });
    const before = await get();
    for (const body of [{}, { name: null, about: null, track_opens: null, message_data_retention: null }]) {
      const response = await put(body);
      expect([response.status, response.body]).toEqual([200, before]);
    }
    const changed = await put({ about: 'New', name: null });
    expect(changed.body).toEqual({ ...before, about: 'New', updated_at: changed.body.updated_at });
  });

  it('§7 rule 2 changed defaults count for messages that are accepted afterwards, from the next one on', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const defaults = (track_opens: boolean, track_clicks: boolean, metadata: number, data: number) => ({
      track_opens,
      track_clicks,
      message_metadata_retention: metadata,
      message_data_retention: data,
    });
    const kept = (track_opens: boolean, track_clicks: boolean, metadata_days: number, data_days: number) => ({
      track_opens,
      track_clicks,
      metadata_days,
      data_days,
    });
    for (let round = 0; round < 2; round += 1) {
      await put(defaults(true, false, 20, 10));
      expect(await sentRow(domain)).toEqual(kept(true, false, 20, 10));
      await put(defaults(false, true, 5, 0));
      expect(await sentRow(domain)).toEqual(kept(false, true, 5, 0));
    }
    const rows = await postmesh.sql<{ days: number }>(
      `select distinct round(extract(epoch from retain_metadata_until - created_at) / 86400)::int as days
       from messages.send_requests where account_id = $1 order by 1`,
      [account.id],
    );
    expect(rows.map(({ days }) => days)).toEqual([5, 20]);
    // some retention is set by the message
    await put(defaults(true, false, 20, 3));
    const own = { tracking: { open: false }, retention: { metadata: 5 } };
    expect(await sentRow(domain, own)).toEqual(kept(false, false, 5, 3));
    const none = { tracking: null, retention: { data: null } };
    expect(await sentRow(domain, none)).toEqual(kept(true, false, 20, 3));
    // the content is never kept longer than the record
    await put(defaults(true, false, 2, 30));
    expect(await sentRow(domain)).toEqual(kept(true, false, 2, 2));
  });

  it('§7 rule 3 a new account keeps both for 7 days', async () => {
    const fresh = await get(await postmesh.newAccount());
    expect([fresh.message_metadata_retention, fresh.message_data_retention]).toEqual([7, 7]);
  });

  it('§7 rule 4 recipient shields refuse listed domains per recipient, from the next request on', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const errorFor = async (to: string) => {
      const body = message(domain, to);
      const sent = await postmesh.api(account.key, 'POST', '{A}/messages/conversation', { body });
      expect(sent.status).toBe(202);
      return sent.body.data[0].error as string | undefined;
    };
    const [toxic, mistyped] = ['a@mailinator.com', 'a@gmial.com'];
    await put({ reject_bad_recipients: false, reject_mistyped_recipients: false });
    expect([await errorFor(toxic), await errorFor(mistyped)]).toEqual([undefined, undefined]);
    await put({ reject_bad_recipients: true });
    expect([await errorFor(toxic), await errorFor(mistyped)]).toEqual([
      '553 Requested action not taken: recipient domain is toxic or tempmail',
      undefined,
    ]);
    await put({ reject_bad_recipients: false, reject_mistyped_recipients: true });
    expect([await errorFor(toxic), await errorFor(mistyped)]).toEqual([
      undefined,
      '553 Requested action not taken: recipient domain has common a typo',
    ]);
    await put({ reject_mistyped_recipients: false });
  });
});
