import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { newChild } from './families.js';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  UUID_V7,
  type Account,
  type ApiKey,
} from './harness.js';
import { send as sendRequest } from './http-request.js';
import { ok } from './sender.js';

const postmesh = sharedInstallation();
let account: Account;
let other: Account;
beforeAll(async () => {
  [account, other] = [await postmesh.newAccount(), await postmesh.newAccount()];
  for (const [key, type] of Object.entries({ plan: 'string', score: 'number', joined: 'timestamp' })) {
    ok(await postmesh.operator('POST', attributesOf(account), { key, type }), 201);
  }
});

const attributesOf = ({ id }: Account) => `/operator/marketing/accounts/${id}/attributes`;
const api = (method: string, rest = '', body?: unknown, by: ApiKey = account.key) =>
  postmesh.api(by, method, `{A}/contacts${rest}`, body === undefined ? {} : { body });
const keyed = (key: string, body: unknown, rest = '') =>
  postmesh.api(account.key, 'POST', `{A}/contacts${rest}`, { body, headers: { 'idempotency-key': key } });
const address = () => `${unique('Ann').toLowerCase()}@mail.test`;
const create = async (more: object = {}) => ok(await api('POST', '', { email: address(), ...more }), 201);
const newList = async () =>
  ok(await postmesh.api(account.key, 'POST', '{A}/lists', { body: { name: 'List' } }), 201).id as string;
const listed = (list: string) => postmesh.api(account.key, 'GET', `{A}/lists/${list}`);
const put = (list: string, contact: string, status = 'confirmed') =>
  postmesh.api(account.key, 'PUT', `{A}/lists/${list}/contacts/${contact}`, {
    body: { subscription_status: status },
  });
// what the triggers of the tables look for
const IN_MARKETING = `(select set_config('search_path', 'marketing', true))`;
const historyOf = async (id: string) =>
  ok(await postmesh.operator('GET', `/operator/marketing/accounts/${account.id}/contacts/${id}`), 200)
    .unsubscribes;

describe('spec 3-marketing §0: conventions, on contacts', () => {
  it('spec 3-marketing §0 rule 1, §1.1: a contact has all keys, and times in UTC', async () => {
    const email = address();
    const made = ok(await api('POST', '', { email: ` ${email.toUpperCase()} ` }), 201);
    expect(made).toEqual({
      object: 'contact',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: made.created_at,
      email,
      first_name: '',
      last_name: '',
      status: 'enabled',
      status_reason: '',
      unsubscribed: false,
      unsubscribed_at: null,
      attributes: {},
      validation_status: 'unvalidated',
      last_validated_at: null,
    });
    expect(ok(await api('GET', `/${made.id}`), 200)).toEqual(made);
  });

  it('spec 3-marketing §0 rule 2, §0 rule 3: a key needs the scope of the family, and no domain', async () => {
    const reader = await postmesh.newKey(account, { scopes: ['contacts:read'] });
    expect((await api('GET', '', undefined, reader)).status).toBe(200);
    expectError(await api('POST', '', {}, reader), 403, 'insufficient permissions for the required scope');
    expect((await postmesh.api(null, 'GET', `/v2/accounts/${account.id}/contacts`)).status).toBe(401);
    const slow = await postmesh.newAccount();
    const rate_limits = { general: { per_second: 1, burst: 1 } };
    ok(await postmesh.operator('PUT', `/operator/accounts/accounts/${slow.id}`, { rate_limits }), 200);
    await eventually(async () => (await api('GET', '', undefined, slow.key)).status).toBe(429);
  });

  it('spec 3-marketing §0 rule 4, §0 rule 6, §12: the body is closed, and judged in this order', async () => {
    const cases: [unknown, string][] = [
      [{ email: 7, tags: ['x'] }, 'unknown field: tags'],
      [{ email: address(), validation_status: 'valid' }, 'unknown field: validation_status'],
      [{ last_name: 5, email: 'x' }, 'email is not a valid email address'],
      [{ email: 'x', last_name: 5 }, 'email is not a valid email address'],
      [{ email: address(), attributes: { age: 1 } }, 'unknown attribute "age"'],
      [[], 'invalid request body'],
      ['text', 'invalid request body'],
    ];
    for (const [body, message] of cases) expectError(await api('POST', '', body), 400, message);
    expectError(await api('PUT', `/${randomUUID()}`, { nope: 1 }), 400, 'unknown field: nope');
    expectError(await api('PUT', `/${randomUUID()}`, {}), 404, 'contact not found');
  });

  it('spec 3-marketing §0 rule 5, §0 rule 11: who is not there, or of another account, is 404', async () => {
    const { id, email } = await create();
    expectError(await api('GET', `/${id}`, undefined, other.key), 404, 'contact not found');
    for (const value of [randomUUID(), 'no-address', 'a@b@c', encodeURIComponent('a/b@x.test'), '%2525']) {
      expectError(await api('GET', `/${value}`), 404, 'contact not found');
    }
    expect(ok(await api('GET', `/${encodeURIComponent(email)}`), 200).id).toBe(id);
    expect(ok(await api('GET', `/${id.toUpperCase()}`), 200).id).toBe(id);
    const list = (value: string) => postmesh.api(account.key, 'GET', `{A}/lists/${value}`);
    expectError(await list('no-uuid'), 400, 'invalid list_id');
  });

  it('spec 3-marketing §0 rule 7, §0 rule 10: characters are code points; an address has one spelling', async () => {
    expect((await create({ first_name: '😀'.repeat(255) })).first_name).toHaveLength(510);
    expectError(
      await api('POST', '', { email: address(), first_name: '😀'.repeat(256) }),
      400,
      'first_name must be at most 255 characters',
    );
    const blank = await create({ first_name: '\u2003 Zoë\u00a0' });
    expect(blank.first_name).toBe('Zoë');
    for (const email of [
      'a@mail',
      'a@b@mail.test',
      `${'a'.repeat(65)}@mail.test`,
      '@mail.test',
      'mail.test',
    ]) {
      expectError(await api('POST', '', { email }), 400, 'email is not a valid email address');
    }
  });

  it('spec 3-marketing §0 rule 8: a page has all three keys', async () => {
    const by = (await newChild(postmesh, account)).key;
    for (let n = 0; n < 3; n += 1) ok(await api('POST', '', { email: address() }, by), 201);
    const first = ok(await api('GET', '?limit=2', undefined, by), 200);
    expect(first.pagination).toEqual({
      has_more: true,
      next_cursor: expect.any(String),
      previous_cursor: null,
    });
    const rest = ok(await api('GET', `?limit=2&after=${first.pagination.next_cursor}`, undefined, by), 200);
    expect(rest.pagination).toEqual({
      has_more: false,
      next_cursor: null,
      previous_cursor: expect.any(String),
    });
    const back = ok(await api('GET', `?before=${rest.pagination.previous_cursor}`, undefined, by), 200);
    expect(back).toEqual({
      ...first,
      pagination: { has_more: false, next_cursor: expect.any(String), previous_cursor: null },
    });
  });

  it('spec 3-marketing §0 rule 9: what the handler said is replayed, and only that', async () => {
    const [key, email] = [randomUUID(), address()];
    const made = await keyed(key, { email });
    const again = await keyed(key, { email });
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
      201,
      made.body,
      'true',
    ]);
    expectError(await keyed(key, { email: address() }), 422);
    const second = randomUUID();
    const taken = await keyed(second, { email });
    expectError(taken, 409, 'a contact with this email address already exists');
    expect([taken.headers['idempotent-replayed'], taken.headers['retry-after']]).toEqual([
      undefined,
      undefined,
    ]);
    ok(await api('DELETE', `/${made.body.id}`), 200);
    expect((await keyed(second, { email })).status).toBe(409);
    expect((await keyed(randomUUID(), { email })).status).toBe(201);
  });
});

describe('spec 3-marketing §1: contacts', () => {
  it('spec 3-marketing §1.2 rule 1, §11: attributes are defined by operators, and that is audited', async () => {
    const path = attributesOf(account);
    for (const body of [
      { key: 'Plan', type: 'string' },
      { key: 'email', type: 'string' },
      { key: 'x', type: 'x' },
    ]) {
      expect((await postmesh.operator('POST', path, body)).status).toBe(400);
    }
    expect((await postmesh.operator('POST', path, { key: 'plan', type: 'number' })).status).toBe(409);
    ok(await postmesh.operator('POST', path, { key: 'brief', type: 'boolean' }), 201);
    const { id } = await create({ attributes: { brief: true } });
    ok(await postmesh.operator('DELETE', `${path}/brief`), 200);
    expect(ok(await api('GET', `/${id}`), 200).attributes).toEqual({ brief: true });
    const audit = async () =>
      ok(await postmesh.operator('GET', '/operator/accounts/audit?limit=100'), 200).data.map(
        ({ details }: { details: object }) => JSON.stringify(details),
      );
    await eventually(async () =>
      (await audit()).some((text: string) => text.includes('attributes/brief')),
    ).toBe(true);
  });

  it('spec 3-marketing §1.2 rule 2, §1.2 rule 3, §1.2 rule 4, §1.2 rule 5: attributes', async () => {
    const made = await create({ attributes: { plan: 'gold', joined: '2026-09-09T12:04:56+02:00' } });
    expect(made.attributes).toEqual({ plan: 'gold', joined: '2026-09-09T10:04:56Z' });
    const cases: [object, string][] = [
      [{ score: '5' }, 'attribute "score" must be a finite number'],
      [{ plan: null }, 'attribute "plan" must not be null'],
      [{ age: 1 }, 'unknown attribute "age"'],
    ];
    for (const [attributes, message] of cases) {
      expectError(await api('POST', '', { email: address(), attributes }), 400, message);
    }
    const { attributes } = ok(
      await api('PUT', `/${made.id}`, { attributes: { score: 1, plan: null, gone: null } }),
      200,
    );
    expect(attributes).toEqual({ joined: '2026-09-09T10:04:56Z', score: 1 });
  });

  it('spec 3-marketing §1.3 rule 1, §1.3 rule 2, §1.3 rule 3, §1.3 rule 4: a batch', async () => {
    const [known, twice] = [await create({ first_name: 'Kay' }), address()];
    const { status, body } = await api('POST', '/batch', {
      data: [
        { email: address() },
        { email: known.email },
        { email: twice },
        { email: twice.toUpperCase() },
        7,
      ],
    });
    expect([status, body.object, body.created, body.updated, body.failed]).toEqual([200, 'list', 1, 1, 3]);
    expect(body.data.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'created',
      'updated',
      'failed',
      'failed',
      'failed',
    ]);
    expect(body.data[1].contact).toEqual(known);
    expect(body.data[3]).toEqual({
      position: 3,
      email: twice,
      outcome: 'failed',
      reason: 'duplicate email in this batch',
    });
    expectError(await api('POST', '/batch', { data: [] }), 400);
    expectError(await api('POST', '/batch', { data: [{}], list: 1 }), 400, 'unknown field: list');
    const data = Array.from({ length: 1_000 }, () => ({ email: address() }));
    const key = randomUUID();
    const [first, again] = [await keyed(key, { data }, '/batch'), await keyed(key, { data }, '/batch')];
    expect([first.body.created, again.headers['idempotent-replayed'], again.body]).toEqual([
      1_000,
      'true',
      first.body,
    ]);
    expectError(await api('POST', '/batch', { data: [...data, {}] }), 400);
  });

  it('spec 3-marketing §1.3: an update merges, keeps what is null, and each flip stays in the history', async () => {
    const made = await create({ first_name: 'Ann', unsubscribed: true });
    expect(ok(await api('PUT', `/${made.id}`, { first_name: null, unsubscribed: true }), 200)).toEqual(made);
    const back = ok(await api('PUT', `/${made.id}`, { first_name: '', unsubscribed: false }), 200);
    expect(back).toMatchObject({ first_name: '', unsubscribed: false, unsubscribed_at: null });
    const flips = (await historyOf(made.id)).map(
      ({ unsubscribed }: { unsubscribed: boolean }) => unsubscribed,
    );
    expect(flips).toEqual([false, true]);
    const taken = await create();
    expectError(await api('PUT', `/${made.id}`, { email: taken.email }), 409);
  });

  it('spec 3-marketing §1.4 rule 1, §1.4 rule 2, §1.4 rule 3: who counts as mailable', async () => {
    const [list, contact] = [await newList(), await create()];
    ok(await put(list, contact.id), 200);
    const count = async () => ok(await listed(list), 200).contact_count;
    const after = async (change: object) => {
      ok(await api('PUT', `/${contact.id}`, change), 200);
      return count();
    };
    expect(await count()).toBe(1);
    expect(await after({ status: 'disabled' })).toBe(0);
    expect(await after({ status: 'blocked', status_reason: 'asked' })).toBe(0);
    expect(await after({ status: 'enabled' })).toBe(1);
    expect(await after({ unsubscribed: true })).toBe(0);
    expect(await after({ unsubscribed: false })).toBe(1);
    const judged = (status: string) =>
      postmesh.sql(
        `with path as ${IN_MARKETING} update marketing.contacts set validation_status = $2 from path where id = $1`,
        [contact.id, status],
      );
    for (const [status, wanted] of [
      ['risky', 1],
      ['unknown', 1],
      ['valid', 1],
      ['invalid', 0],
    ] as const) {
      await judged(status);
      expect(await count()).toBe(wanted);
    }
    expectError(
      await api('PUT', `/${contact.id}`, { validation_status: 'valid' }),
      400,
      'unknown field: validation_status',
    );
  });

  it('spec 3-marketing §12: there is no free search, no list of a contact and no export in v2', async () => {
    expectError(await api('POST', '', { email: address(), lists: [] }), 400, 'unknown field: lists');
    expectError(await api('POST', '/batch', { data: [{}], segment: 'x' }), 400, 'unknown field: segment');
    expect((await postmesh.api(account.key, 'GET', '{A}/segments')).status).toBe(404);
  });
});

describe('spec 3-marketing §1.5: a deleted contact', () => {
  /** A contact that is on two lists, in a campaign that waits and in one that was sent. */
  async function contactWithEverything() {
    const email = `${unique('user').toLowerCase()}+tag@mail.test`;
    const contact = await create({ email, unsubscribed: true });
    ok(await api('PUT', `/${contact.id}`, { unsubscribed: false }), 200);
    const [list, complained] = [await newList(), await newList()];
    for (const id of [list, complained]) ok(await put(id, contact.id), 200);
    await postmesh.sql(
      `with path as ${IN_MARKETING}
       update marketing.memberships set subscription_status = 'complained' from path where list_id = $1`,
      [complained],
    );
    const [running, sent] = [randomUUID(), randomUUID()];
    for (const [id, status] of [
      [running, 'paused'],
      [sent, 'sent'],
    ]) {
      await postmesh.sql(
        `insert into marketing.campaigns (id, account_id, created_at, updated_at, name, status)
         values ($1, $2, now(), now(), 'Campaign', $3)`,
        [id, account.id, status],
      );
    }
    const recipient = (campaign: string, status: string, message: string | null) =>
      postmesh.sql(
        `insert into marketing.campaign_recipients (campaign_id, position, contact_id, account_id, email, list_ids, status,
           message_id, sent_at) values ($1, 0, $2, $3, $4, $5, $6, $7, case when $7::uuid is not null then now() end)`,
        [campaign, contact.id, account.id, email, [list], status, message],
      );
    await recipient(running, 'pending', null);
    await recipient(sent, 'delivered', randomUUID());
    for (const [campaign, counter] of [
      [running, 'pending'],
      [sent, 'delivered'],
    ]) {
      await postmesh.sql(
        `insert into marketing.campaign_counts (campaign_id, updated_at, ${counter}) values ($1, now(), 1)`,
        [campaign],
      );
    }
    return { contact, email, list, complained, running, sent };
  }

  it('spec 3-marketing §1.5 C1, C2, C4, C5, C6, C7, §0 rule 12: goes with all that is its own', async () => {
    const { contact, email, list, running, sent } = await contactWithEverything();
    expect(ok(await listed(list), 200).contact_count).toBe(1);
    const path = `/${encodeURIComponent(email.toUpperCase())}`;
    expect(ok(await api('DELETE', path), 200)).toEqual({
      message: `contact ${contact.id} (${email}) deleted successfully`,
    });
    for (const [method, rest] of [
      ['GET', `/${contact.id}`],
      ['GET', path],
      ['DELETE', path],
      ['DELETE', `/${contact.id}`],
    ] as const) {
      expectError(await api(method, rest), 404, 'contact not found');
    }
    expect(ok(await listed(list), 200).contact_count).toBe(0);
    for (const table of ['memberships', 'contact_unsubscribes', 'campaign_recipients', 'campaign_fetches']) {
      expect(
        await postmesh.sql(`select from marketing.${table} where contact_id = $1`, [contact.id]),
      ).toEqual([]);
    }
    const counted = async (campaign: string) =>
      (
        await postmesh.sql(
          `select (select sum(n) from (select pending as n from marketing.campaign_counts where campaign_id = $1
             union all select pending from marketing.campaign_count_deltas where campaign_id = $1) p)::int as pending,
           (select sum(n) from (select skipped as n from marketing.campaign_counts where campaign_id = $1
             union all select skipped from marketing.campaign_count_deltas where campaign_id = $1) s)::int as skipped,
           (select delivered from marketing.campaign_counts where campaign_id = $1)::int as delivered`,
          [campaign],
        )
      )[0];
    expect(await counted(running)).toEqual({ pending: 0, skipped: 1, delivered: 0 });
    expect(await counted(sent)).toEqual({ pending: 0, skipped: 0, delivered: 1 });
    // what is kept of a message under way does not tell whose it was
    expect(
      await postmesh.sql('select status from marketing.campaign_forgotten_messages where campaign_id = $1', [
        sent,
      ]),
    ).toEqual([{ status: 'delivered' }]);
    const again = await create({ email });
    expect(again).toMatchObject({ email, unsubscribed: false, unsubscribed_at: null });
    expect(again.id).not.toBe(contact.id);
    expect(await historyOf(again.id)).toEqual([]);
    const lists = await postmesh.api(account.key, 'GET', `{A}/contacts/${again.id}/lists`);
    expect(ok(lists, 200).data).toEqual([]);
  });

  it('spec 3-marketing §1.5 C3, §1.4 rule 4: leaves suppressions of its address exactly as they are', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const contact = await create();
    const body = { email: contact.email, expires_at: '2090-01-01T00:00:00Z', domain };
    ok(await postmesh.api(account.key, 'POST', '{A}/suppressions', { body }), 201);
    const rows = () => postmesh.sql('select * from messages.suppressions where email = $1', [contact.email]);
    const before = await rows();
    expect(before).toHaveLength(1);
    ok(await api('PUT', `/${contact.id}`, { unsubscribed: true, status: 'blocked' }), 200);
    ok(await api('PUT', `/${contact.id}`, { unsubscribed: false, status: 'enabled' }), 200);
    ok(await api('DELETE', `/${contact.id}`), 200);
    await create({ email: contact.email });
    expect(await rows()).toEqual(before);
  });

  it('§14.3 rule 5: no operation on contacts touches a suppression', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const [contact, list] = [await create(), await newList()];
    ok(await put(list, contact.id), 200);
    const suppress = { email: contact.email, expires_at: '2090-01-01T00:00:00Z', domain };
    const [made] = ok(
      await postmesh.api(account.key, 'POST', '{A}/suppressions', { body: suppress }),
      201,
    ).data;
    expect(ok(await listed(list), 200).contact_count).toBe(1);
    ok(await api('POST', '/batch', { data: [{ email: contact.email, unsubscribed: true }] }), 200);
    const shown = ok(
      await postmesh.api(account.key, 'GET', `{A}/suppressions?email=${encodeURIComponent(contact.email)}`),
      200,
    );
    expect(shown.data).toEqual([made]);
    expect(ok(await api('GET', `/${contact.id}`), 200).unsubscribed).toBe(true);
  });

  it('spec 3-marketing §1.5 C8: needs the scope to delete, and takes no idempotency key', async () => {
    const contact = await create();
    const writer = await postmesh.newKey(account, { scopes: ['contacts:write'] });
    expectError(
      await api('DELETE', `/${contact.id}`, undefined, writer),
      403,
      'insufficient permissions for the required scope',
    );
    const remove = () =>
      postmesh.api(account.key, 'DELETE', `{A}/contacts/${contact.id}`, {
        headers: { 'idempotency-key': 'the-same' },
      });
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 404]);
  });
});

describe('imports and exports of contacts', () => {
  it('come and go through the operator interface', async () => {
    const [email, list] = [address(), await newList()];
    const { operator_url: url, operator_token: token } = postmesh.credentials;
    const sent = await sendRequest({
      method: 'POST',
      url: `${url.replace('//localhost:', '//127.0.0.1:')}/operator/marketing/accounts/${account.id}/contact-imports?list_id=${list}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body: `email,first_name,score\n${email},"Ann, of two",7\nnonsense,,\n`,
    });
    expect(sent.status).toBe(202);
    const path = `/operator/marketing/contact-imports/${sent.body.id}`;
    await eventually(async () => (await postmesh.operator('GET', path)).body.state).toBe('done');
    expect((await postmesh.operator('GET', path)).body).toMatchObject({
      created: 1,
      listed: 1,
      errors: 1,
      first_errors: [{ line: 3, text: 'nonsense,,', reason: 'email is not a valid email address' }],
    });
    expect(ok(await listed(list), 200).contact_count).toBe(1);
    const { body } = await postmesh.operator(
      'GET',
      `/operator/marketing/accounts/${account.id}/contact-export?format=csv`,
    );
    expect(body.text).toContain(`\n${email},"Ann, of two",,enabled,,false,,`);
    expect(body.total).toBe(body.contacts);
  });
});
