import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  unique,
  uniqueDomain,
  UUID_V7,
  type Account,
  type ApiKey,
} from './harness.js';

const postmesh = sharedInstallation();
const NONE = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';

let parent: Account;
beforeAll(async () => {
  parent = await postmesh.newAccount();
});

interface Child extends Account {
  /** verified */
  domain: string;
}

async function newChild(): Promise<Account> {
  const body = { name: unique('Child'), website: 'child.example.com' };
  const made = await postmesh.api(parent.key, 'POST', '{A}/sub-accounts', { body });
  expect(made.status).toBe(201);
  const { id, name } = made.body as { id: string; name: string };
  return { id, name, ownerEmail: parent.ownerEmail, key: await postmesh.operatorKey(id, { scopes: ['*'] }) };
}

async function childWithDomain(): Promise<Child> {
  const child = await newChild();
  return { ...child, domain: await postmesh.verifiedDomain(child) };
}

const pause = ({ id, domain }: Child) =>
  postmesh.sql(
    `update domains.domains set paused_at = now(), pause_reason = 'bounce_rate', revision = revision + 1
      where account_id = $1 and domain = $2`,
    [id, domain],
  );
const unpause = (child: Pick<Account, 'id'>, domain: string, key: ApiKey = parent.key) =>
  postmesh.api(key, 'POST', `{A}/sub-accounts/${child.id}/domains/${domain}/unpause`);
const read = async ({ key, domain }: Child) => (await postmesh.api(key, 'GET', `{A}/domains/${domain}`)).body;
const send = ({ key, domain }: Child) =>
  postmesh.api(key, 'POST', '{A}/messages/conversation', {
    body: {
      from: { email: `news@${domain}` },
      to: [{ email: `${unique('r')}@mail.test` }],
      subject: 'Hello',
      text_content: 'Hello',
    },
  });

describe('§10.3 unpause a domain of a sub-account', () => {
  it('§10.3 unpause answers the domain, and the child sends again with its next request', async () => {
    const child = await childWithDomain();
    await pause(child);
    const before = await read(child);
    expect(before).toMatchObject({ paused: true, pause_reason: 'bounce_rate' });
    const refused = `Sending from domain '${child.domain}' is paused. Check your dashboard for the reason.`;
    // a sender may keep its view of the domain for two seconds
    await eventually(async () => (await send(child)).status).toBe(403);
    expectError(await send(child), 403, refused);
    const given = await unpause(child, child.domain.toUpperCase());
    expect([given.status, given.body]).toEqual([
      200,
      {
        ...before,
        updated_at: expect.any(String),
        paused: false,
        paused_at: null,
        pause_reason: null,
      },
    ]);
    expect((await send(child)).status).toBe(202);
    expect(await read(child)).toEqual(given.body);
  });

  it('§10.3 unpause answers a domain that is not paused unchanged', async () => {
    const child = await childWithDomain();
    const before = await read(child);
    const given = await unpause(child, child.domain);
    expect([given.status, given.body]).toEqual([200, before]);
  });

  it('§10.3 unpause: 404 for an unknown child, then for an unknown domain of it; 400 for invalid values', async () => {
    const child = await childWithDomain();
    await pause(child);
    const stranger = await postmesh.newAccount();
    const own = uniqueDomain();
    const made = await postmesh.api(parent.key, 'POST', '{A}/domains', { body: { domain: own } });
    expect(made.status).toBe(201);
    expectError(await unpause({ id: NONE }, child.domain), 404, 'sub account not found');
    expectError(await unpause(child, child.domain, stranger.key), 404, 'sub account not found');
    expectError(await unpause(parent, child.domain), 404, 'sub account not found');
    for (const name of [own, uniqueDomain()]) {
      expectError(await unpause(child, name), 404, 'domain not found');
    }
    expectError(await unpause({ id: 'x' }, child.domain), 400, 'invalid sub_account_id');
    expectError(await unpause(child, 'nonsense'), 400, 'invalid domain name');
    expect((await read(child)).paused).toBe(true);
  });

  it('§10.3 unpause: 403 without the scope, and for the child itself whatever its scopes', async () => {
    const child = await childWithDomain();
    await pause(child);
    const off = 'sub accounts are not enabled for this account';
    expectError(await unpause(child, child.domain, child.key), 403, off);
    const bare = await postmesh.newKey(child, { scopes: ['domains:read'] });
    expectError(await unpause(child, child.domain, bare), 403, off);
    const weak = await postmesh.newKey(parent, { scopes: ['sub-accounts:write', 'domains:write'] });
    const refused = await unpause(child, child.domain, weak);
    expectError(refused, 403, 'insufficient permissions for the required scope');
    expect((await read(child)).paused).toBe(true);
    const right = await postmesh.newKey(parent, { scopes: ['sub-accounts:suspend'] });
    expect((await unpause(child, child.domain, right)).status).toBe(200);
  });

  it('§10.3 unpause works while the child is suspended', async () => {
    const child = await childWithDomain();
    await pause(child);
    const suspended = await postmesh.api(parent.key, 'POST', `{A}/sub-accounts/${child.id}/suspend`, {
      body: { reason: 'a test' },
    });
    expect(suspended.status).toBe(200);
    expect((await unpause(child, child.domain)).body).toMatchObject({ paused: false });
  });
});

describe('§2.5 and §10.4: changes of an account apply to its domains and webhooks', () => {
  it('§2.5 table a suspended sub-account creates, deletes and checks no domain, and reads all', async () => {
    const child = await childWithDomain();
    const suspend = await postmesh.api(parent.key, 'POST', `{A}/sub-accounts/${child.id}/suspend`, {
      body: { reason: 'a test' },
    });
    expect(suspend.body).toMatchObject({ status: 'suspended' });
    const text = 'account is suspended, contact support';
    const path = `{A}/domains/${child.domain}`;
    const create = await postmesh.api(child.key, 'POST', '{A}/domains', { body: { domain: uniqueDomain() } });
    expectError(create, 403, text);
    expectError(await postmesh.api(child.key, 'POST', `${path}/check-dns`), 403, text);
    expectError(await postmesh.api(child.key, 'DELETE', path), 403, text);
    expect((await postmesh.api(child.key, 'GET', path)).status).toBe(200);
    expect((await postmesh.api(child.key, 'GET', '{A}/webhooks')).status).toBe(200);
    expect((await postmesh.api(parent.key, 'POST', `{A}/sub-accounts/${child.id}/unsuspend`)).status).toBe(
      200,
    );
    expect((await postmesh.api(child.key, 'DELETE', path)).status).toBe(200);
  });

  it('§10.4 rule 5 the domains of a deleted sub-account are free for others, its webhooks are gone', async () => {
    const child = await childWithDomain();
    await pause(child);
    const hook = { name: 'Hook', url: 'https://hooks.example.com/', scope: 'global', on_reception: true };
    expect((await postmesh.api(child.key, 'POST', '{A}/webhooks', { body: hook })).status).toBe(201);
    expect((await postmesh.api(parent.key, 'DELETE', `{A}/sub-accounts/${child.id}`)).status).toBe(200);
    const left = (table: string) => postmesh.sql(`select from ${table} where account_id = $1`, [child.id]);
    await eventually(() => left('domains.domains')).toEqual([]);
    await eventually(() => left('webhooks.webhooks')).toEqual([]);
    const other = await postmesh.newAccount();
    expect(await postmesh.verifiedDomain(other, child.domain)).toBe(child.domain);
  });
});

describe('the domain of the service’s own messages', () => {
  it('is shown to the operator with its records', async () => {
    const shown = await postmesh.operator('GET', '/operator/domains/system-domain');
    expect([shown.status, shown.body]).toEqual([
      200,
      expect.objectContaining({
        object: 'domain',
        id: expect.stringMatching(UUID_V7),
        domain: 'postmesh.test',
      }),
    ]);
    const labels = (shown.body.dns_records as { label: string }[]).map(({ label }) => label);
    expect(labels).toEqual(['SPF', 'DKIM', 'DKIM standby', 'DMARC']);
    const refused = await postmesh.api(parent.key, 'POST', '{A}/domains', {
      body: { domain: 'postmesh.test' },
    });
    expectError(refused, 409, 'domain already exists');
  });

  it('signs them so that receivers believe them', async () => {
    const email = `${unique('invited')}@mail.test`;
    const added = await postmesh.api(parent.key, 'POST', '{A}/members', {
      body: { email, name: 'Ann', role: 'Administrator' },
    });
    expect(added.status).toBe(201);
    const messages = async () =>
      (await postmesh.mailbox(`/api/messages?${new URLSearchParams({ to: email })}`)).body.messages;
    await eventually(async () => (await messages()).length, 30_000).toBe(1);
    expect((await messages())[0].auth).toEqual({ spf: 'pass', dkim: 'pass', dmarc: 'pass' });
  });
});
