import { SCOPE_FAMILIES, STATIC_SCOPES } from '@postmesh/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  uniqueDomain,
  UUID_V7,
  type Account,
  type ApiKey,
} from './harness.js';

const postmesh = sharedInstallation();
const FORBIDDEN = 'insufficient permissions for the required scope';
const UNKNOWN = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';

let account: Account;
/** domains of the account: may send */
let one: string;
let two: string;
let ids: Record<string, string>;
beforeAll(async () => {
  account = await postmesh.newAccount();
  one = await postmesh.verifiedDomain(account);
  two = await postmesh.verifiedDomain(account, `mail.${one}`);
  const { body } = await postmesh.api(account.key, 'GET', '{A}/domains');
  ids = Object.fromEntries(
    body.data.map((domain: { domain: string; id: string }) => [domain.domain, domain.id]),
  );
});

const create = (scopes: unknown, as: ApiKey = account.key) =>
  postmesh.api(as, 'POST', '{A}/api-keys', { body: { label: 'k', scopes } });
const scopesOf = (body: { scopes: { scope: string }[] }) => body.scopes.map(({ scope }) => scope);
const hook = (more: object) => ({
  name: 'n',
  url: 'http://127.0.0.1:9/',
  scope: 'global',
  on_dns_error: true,
  ...more,
});
const send = (key: ApiKey, domain: string) =>
  postmesh.api(key, 'POST', '{A}/messages/conversation', {
    body: {
      from: { email: `a@${domain}` },
      to: [{ email: 'ann@mail.test' }],
      subject: 's',
      text_content: 't',
      sandbox: true,
    },
  });

/** A child of the account with a key of its own for all operations. */
async function child(): Promise<ApiKey> {
  const made = await postmesh.api(account.key, 'POST', '{A}/sub-accounts', {
    body: { name: 'Child', website: 'child.test' },
  });
  expect(made.status).toBe(201);
  return postmesh.operatorKey(made.body.id, { scopes: ['*'] });
}

describe('§2.2 scopes', () => {
  it('§2.2 there are 37 static scopes, 14 families and *, and each can be granted', async () => {
    expect([STATIC_SCOPES.length, SCOPE_FAMILIES.length]).toEqual([37, 14]);
    const whole = [...STATIC_SCOPES, ...SCOPE_FAMILIES.map((family) => `${family}:all`)];
    expect(scopesOf((await create(whole)).body)).toEqual(whole);
    const narrow = SCOPE_FAMILIES.map((family) => `${family}:{${one}}`);
    expect(scopesOf((await create(narrow)).body)).toEqual(narrow);
    expect(scopesOf((await create(['*'])).body)).toEqual(['*']);
  });

  it('§2.2 * grants everything', async () => {
    const key = await postmesh.newKey(account, { scopes: ['*'] });
    for (const path of ['{A}', '{A}/api-keys', '{A}/domains', '{A}/webhooks', '{A}/members']) {
      expect((await postmesh.api(key, 'GET', path)).status, path).toBe(200);
    }
    expect((await send(key, one)).status).toBe(202);
  });

  it('§2.2 * on a sub-account key is allowed and opens no sub-accounts', async () => {
    const key = await child();
    expect((await create(['*'], key)).status).toBe(201);
    expectError(
      await postmesh.api(key, 'GET', '{A}/sub-accounts'),
      403,
      'sub accounts are not enabled for this account',
    );
  });

  it('§2.2 accounts:billing guards no operation', async () => {
    const key = await postmesh.newKey(account, { scopes: ['accounts:billing'] });
    for (const path of ['{A}', '{A}/api-keys', '{A}/domains', '{A}/members', '{A}/sub-accounts']) {
      expectError(await postmesh.api(key, 'GET', path), 403, FORBIDDEN);
    }
  });
});

describe('§2.3 granting scopes', () => {
  it('§2.3 rule 1 scopes is an array of strings, at least one', async () => {
    for (const scopes of [[], 'accounts:read', { 0: 'accounts:read' }, [null], [['accounts:read']], null]) {
      expectError(await create(scopes), 400);
    }
    const { id } = await postmesh.newKey(account);
    const updated = await postmesh.api(account.key, 'PUT', `{A}/api-keys/${id}`, { body: { scopes: [] } });
    expectError(updated, 400);
  });

  it('§2.3 rule 2 a domain scope is stored with braces and the normalised domain, however it was written', async () => {
    for (const given of [one, `{${one}}`, `{ ${one.toUpperCase()}. }`, one.toUpperCase()]) {
      const { status, body } = await create([`messages:send:${given}`]);
      expect([status, body.scopes?.[0].scope]).toEqual([201, `messages:send:{${one}}`]);
    }
  });

  it('§2.3 rule 3 the domain must be one of the account; it need not be verified', async () => {
    const unverified = uniqueDomain();
    await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: unverified } });
    expect((await create([`routes:read:{${unverified}}`])).status).toBe(201);
    const other = await postmesh.newAccount();
    const foreign = uniqueDomain();
    await postmesh.api(other.key, 'POST', '{A}/domains', { body: { domain: foreign } });
    for (const domain of [foreign, 'unknown.test', `sub.${unverified}`]) {
      const scope = `messages:send:{${domain}}`;
      expectError(await create(['accounts:read', scope]), 400, `domain not found in scope: ${scope}`);
    }
  });

  it('§2.3 rule 4 an unknown scope is refused, and a static one with a domain', async () => {
    for (const scope of [
      'nonsense',
      '',
      ' accounts:read',
      'Accounts:Read',
      'accounts',
      'accounts:*',
      'messages:send',
      'messages:send:',
      'messages:send:{}',
      'messages:send:{a}',
      `messages:sends:{one.test}`,
      `domains:read:{one.test}`,
      `domains:read:all`,
      'all',
      '**',
    ]) {
      expectError(
        await create(['accounts:read', scope]),
        400,
        expect.stringContaining(`invalid scope: ${scope} (for example `),
      );
    }
  });

  it('§2.3 rule 5 the same scope twice is refused, also in two spellings', async () => {
    const send = `messages:send:{${one}}`;
    expectError(await create(['accounts:read', 'accounts:read']), 400, 'duplicate scope: accounts:read');
    expectError(await create(['*', '*']), 400, 'duplicate scope: *');
    expectError(await create([send, `messages:send:${one.toUpperCase()}`]), 400, `duplicate scope: ${send}`);
  });

  it('§2.3 rule 6 a wider scope of the same request drops the domain scopes that it covers', async () => {
    const narrow = [`messages:send:{${one}}`, `messages:send:{${two}}`];
    expect(scopesOf((await create([...narrow, 'messages:send:all', `messages:read:{${one}}`])).body)).toEqual(
      ['messages:send:all', `messages:read:{${one}}`],
    );
    expect(scopesOf((await create([...narrow, '*', 'accounts:read'])).body)).toEqual(['*', 'accounts:read']);
  });

  it('§2.3 rule 7 a key of a sub-account gets no scope over sub-accounts', async () => {
    const key = await child();
    const family = STATIC_SCOPES.filter((scope) => scope.startsWith('sub-account'));
    expect(family).toHaveLength(8);
    for (const scope of family) {
      expectError(
        await create(['accounts:read', scope], key),
        400,
        `scope is not allowed for a sub account key: ${scope}`,
      );
    }
  });

  it('§2.3 rule 8 a key with api-keys:write grants scopes that it does not hold', async () => {
    const writer = await postmesh.newKey(account, { scopes: ['api-keys:write'] });
    const made = await create(['*'], writer);
    expect([made.status, scopesOf(made.body)]).toEqual([201, ['*']]);
  });

  it('§2.3 rule 9 each granted scope is a row', async () => {
    const { body } = await create([`messages:send:{${one}}`, 'accounts:read', 'messages:read:all']);
    expect(body.scopes).toEqual(
      [`messages:send:{${one}}`, 'accounts:read', 'messages:read:all'].map((scope, at) => ({
        id: expect.stringMatching(UUID_V7),
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
        api_key_id: body.id,
        scope,
        domain_id: at === 0 ? ids[one] : null,
      })),
    );
    expect(new Set(body.scopes.map(({ id }: { id: string }) => id)).size).toBe(3);
  });

  it('§2.3 rule 10 replacing scopes keeps the rows of those that stay', async () => {
    const { body: before } = await create(['accounts:read', 'domains:read', `messages:send:{${one}}`]);
    const scopes = [`messages:send:{${one}}`, 'lists:read', 'accounts:read'];
    const { body: after } = await postmesh.api(account.key, 'PUT', `{A}/api-keys/${before.id}`, {
      body: { scopes },
    });
    const rowOf = (body: typeof before, scope: string) =>
      body.scopes.find((row: { scope: string }) => row.scope === scope);
    for (const kept of ['accounts:read', `messages:send:{${one}}`]) {
      expect(rowOf(after, kept)).toMatchObject({
        id: rowOf(before, kept).id,
        created_at: rowOf(before, kept).created_at,
      });
    }
    expect(scopesOf(after).sort()).toEqual([...scopes].sort());
    expect(rowOf(after, 'lists:read').id).not.toBe(rowOf(before, 'domains:read').id);
  });

  it('§2.3 rule 11 deleting a domain deletes its scopes in all keys; a key without scopes can only ping', async () => {
    const gone = uniqueDomain();
    await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: gone } });
    const narrow = await postmesh.newKey(account, { scopes: [`webhooks:read:{${gone}}`] });
    const wider = await postmesh.newKey(account, { scopes: [`webhooks:read:{${gone}}`, 'accounts:read'] });
    await postmesh.api(account.key, 'DELETE', `{A}/domains/${gone}`);
    const left = async (key: ApiKey) =>
      scopesOf((await postmesh.api(account.key, 'GET', `{A}/api-keys/${key.id}`)).body);
    await eventually(() => left(narrow)).toEqual([]);
    await eventually(() => left(wider)).toEqual(['accounts:read']);
    expect((await postmesh.api(narrow, 'GET', '/v2/ping')).status).toBe(200);
    for (const path of ['{A}', '{A}/webhooks', '{A}/api-keys']) {
      expect((await postmesh.api(narrow, 'GET', path)).status, path).toBe(403);
    }
    // the domain that is created again is a different one
    await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: gone } });
    expect((await postmesh.api(narrow, 'GET', '{A}/webhooks')).status).toBe(403);
  });
});

describe('§2.4 checking a scope', () => {
  const reads = async (scopes: string[], path: string) =>
    (await postmesh.api(await postmesh.newKey(account, { scopes }), 'GET', path)).status;

  it('§2.4 static: * or exactly it', async () => {
    expect(await reads(['*'], '{A}')).toBe(200);
    expect(await reads(['accounts:read'], '{A}')).toBe(200);
    for (const scope of ['accounts:write', 'accounts:members:read', 'api-keys:read', 'domains:read']) {
      expect(await reads([scope], '{A}')).toBe(403);
    }
    const every = STATIC_SCOPES.filter((scope) => scope !== 'accounts:read');
    expect(await reads(every, '{A}')).toBe(403);
  });

  it('§2.4 dynamic: *, <family>:all, or the domain; another action or family does not do', async () => {
    for (const [scope, status] of [
      ['*', 202],
      ['messages:send:all', 202],
      [`messages:send:{${one}}`, 202],
      [`messages:send:{${two}}`, 403],
      [`messages:read:{${one}}`, 403],
      ['messages:read:all', 403],
      ['messages:cancel:all', 403],
    ] as const) {
      const key = await postmesh.newKey(account, { scopes: [scope] });
      expect((await send(key, one)).status, scope).toBe(status);
    }
  });

  it('§2.4 a scope for a domain covers neither its subdomains nor its parent domain', async () => {
    const [parent, below] = [
      await postmesh.newKey(account, { scopes: [`messages:send:{${one}}`] }),
      await postmesh.newKey(account, { scopes: [`messages:send:{${two}}`] }),
    ];
    expect([(await send(parent, one)).status, (await send(parent, two)).status]).toEqual([202, 403]);
    expect([(await send(below, one)).status, (await send(below, two)).status]).toEqual([403, 202]);
  });

  it('§2.4 body-one: the domain of from', async () => {
    const key = await postmesh.newKey(account, { scopes: [`messages:send:{${two}}`] });
    expectError(
      await send(key, one),
      403,
      `this api key is not authorized to send messages from the domain '${one}'`,
    );
  });

  it('§2.4 body-every: each domain of a scoped webhook; a global one needs :all although domains are named', async () => {
    const key = await postmesh.newKey(account, { scopes: [`webhooks:write:{${one}}`] });
    const make = async (more: object) =>
      (await postmesh.api(key, 'POST', '{A}/webhooks', { body: hook(more) })).status;
    expect(await make({ scope: 'scoped', domains: [one] })).toBe(201);
    expect(await make({ scope: 'scoped', domains: [one, two] })).toBe(403);
    expect(await make({ scope: 'scoped', domains: [two] })).toBe(403);
    expect(await make({ scope: 'global', domains: [one] })).toBe(403);
    expect(await make({})).toBe(403);
    const both = await postmesh.newKey(account, {
      scopes: [`webhooks:write:{${one}}`, `webhooks:write:{${two}}`],
    });
    const body = hook({ scope: 'scoped', domains: [two, one] });
    expect((await postmesh.api(both, 'POST', '{A}/webhooks', { body })).status).toBe(201);
  });

  it('§2.4 any-of: one of the domains of a resource is enough; one without domains needs :all', async () => {
    const make = async (more: object) =>
      (await postmesh.api(account.key, 'POST', '{A}/webhooks', { body: hook(more) })).body.id as string;
    const [global, both, other] = [
      await make({}),
      await make({ scope: 'scoped', domains: [one, two] }),
      await make({ scope: 'scoped', domains: [two] }),
    ];
    const key = await postmesh.newKey(account, {
      scopes: ['read', 'delete'].map((action) => `webhooks:${action}:{${one}}`),
    });
    const all = await postmesh.newKey(account, { scopes: ['webhooks:read:all'] });
    const get = async (by: ApiKey, id: string) =>
      (await postmesh.api(by, 'GET', `{A}/webhooks/${id}`)).status;
    expect([await get(key, global), await get(key, both), await get(key, other)]).toEqual([403, 200, 403]);
    expect([await get(all, global), await get(all, both), await get(all, other)]).toEqual([200, 200, 200]);
    for (const [id, status] of [
      [global, 403],
      [other, 403],
      [both, 200],
    ] as const) {
      expect((await postmesh.api(key, 'DELETE', `{A}/webhooks/${id}`)).status).toBe(status);
    }
  });

  it('§2.4 filter: a list shows what any-of allows, and is never refused to a key of the family', async () => {
    const own = await postmesh.newAccount();
    const [mine, theirs] = [uniqueDomain(), uniqueDomain()];
    for (const domain of [mine, theirs]) {
      await postmesh.api(own.key, 'POST', '{A}/domains', { body: { domain } });
    }
    const make = async (more: object) =>
      (await postmesh.api(own.key, 'POST', '{A}/webhooks', { body: hook(more) })).body.id as string;
    await make({});
    const seen = [
      await make({ scope: 'scoped', domains: [mine] }),
      await make({ scope: 'scoped', domains: [theirs, mine] }),
    ];
    await make({ scope: 'scoped', domains: [theirs] });
    const list = async (scopes: string[]) => {
      const key = await postmesh.newKey(own, { scopes });
      const { status, body } = await postmesh.api(key, 'GET', '{A}/webhooks?limit=3');
      return [status, body.data.map(({ id }: { id: string }) => id), body.pagination];
    };
    expect(await list([`webhooks:read:{${mine}}`])).toEqual([200, [...seen].reverse(), { has_more: false }]);
    const unused = uniqueDomain();
    await postmesh.api(own.key, 'POST', '{A}/domains', { body: { domain: unused } });
    expect(await list([`webhooks:read:{${unused}}`])).toEqual([200, [], { has_more: false }]);
  });

  it('§2.4 body-one: the domain of the recipient of a route; one of every domain needs :all', async () => {
    const key = await postmesh.newKey(account, { scopes: [`routes:write:{${one}}`] });
    const make = async (recipient: string) => {
      const body = { name: 'n', url: 'http://127.0.0.1:9/', recipient };
      return (await postmesh.api(key, 'POST', '{A}/routes', { body })).status;
    };
    expect([await make(`*@${one}`), await make(`*@${two}`), await make('')]).toEqual([201, 403, 403]);
  });

  it('§2.4 query-required: a key with domain scopes names one of its domains', async () => {
    const key = await postmesh.newKey(account, { scopes: [`routes:read:{${one}}`] });
    const all = await postmesh.newKey(account, { scopes: ['routes:read:all'] });
    const list = async (by: ApiKey, query: string) =>
      (await postmesh.api(by, 'GET', `{A}/routes${query}`)).status;
    for (const query of ['', '?domain=', `?domain=${two}`, '?domain=unknown.test']) {
      expect(await list(key, query), query).toBe(403);
    }
    expect(await list(key, `?domain=${one.toUpperCase()}`)).toBe(200);
    expect([await list(all, ''), await list(all, `?domain=${two}`)]).toEqual([200, 200]);
    expect(await list(all, '?domain=unknown.test')).toBe(400);
  });

  it('§2.4 where several requirements are alternatives, any one is enough (domain delete)', async () => {
    for (const scope of ['domains:delete:all', 'domains:delete']) {
      const domain = uniqueDomain();
      await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain } });
      const scopes = [scope.endsWith('all') ? scope : `${scope}:{${domain}}`];
      const key = await postmesh.newKey(account, { scopes });
      expect((await postmesh.api(key, 'DELETE', `{A}/domains/${domain}`)).status).toBe(200);
    }
    const key = await postmesh.newKey(account, { scopes: [`domains:delete:{${one}}`] });
    expectError(
      await postmesh.api(key, 'DELETE', `{A}/domains/${two}`),
      403,
      'api key does not have sufficient permissions to delete domains',
    );
  });

  it('§2.4 a message is read with a scope of its sender domain', async () => {
    const id = encodeURIComponent((await send(account.key, one)).body.data[0].id);
    for (const [scopes, status] of [
      [[`messages:read:{${one}}`], 200],
      [['messages:read:all'], 200],
      [[`messages:read:{${two}}`], 403],
      [[`messages:send:{${one}}`], 403],
    ] as const) {
      const key = await postmesh.newKey(account, { scopes });
      expect((await postmesh.api(key, 'GET', `{A}/messages/${id}`)).status, scopes[0]).toBe(status);
    }
    const key = await postmesh.newKey(account, { scopes: ['messages:send:all'] });
    const unknown = encodeURIComponent(`<${UNKNOWN}@${one}>`);
    expect((await postmesh.api(key, 'GET', `{A}/messages/${unknown}`)).status).toBe(403);
  });
});
