import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  unique,
  uniqueDomain,
  type Account,
  type ApiKey,
} from './harness.js';
import { holdAccount, holdDomainCreates } from './held-account.js';
import {
  expectInProgress,
  expectMismatch,
  expectReplay,
  hook,
  keyedCreates,
  keyedRequests,
  messageFrom,
  replayed,
} from './keyed-requests.js';

const postmesh = sharedInstallation();
const FORBIDDEN = 'insufficient permissions for the required scope';

let account: Account;
let domain: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
});

const { post, countOf } = keyedRequests(postmesh, () => account);
const CREATES = keyedCreates(
  postmesh,
  () => account,
  () => domain,
);
const message = () => messageFrom(domain);

describe('§4.3 states of a key', () => {
  it('§4.3 table in progress: 409 with both headers, at once; another request: 422 with neither', async () => {
    const hold = await holdDomainCreates(postmesh, account.id);
    const key = unique('k');
    const body = { domain: uniqueDomain() };
    const first = post('{A}/domains', body, key);
    await eventually(async () => {
      const [row] = await postmesh.sql<{ count: number }>(
        'select count(*)::int as count from domains.idempotency where key = $1',
        [key],
      );
      return row?.count;
    }).toBe(1);
    const second = await post('{A}/domains', body, key);
    expectInProgress(second);
    // the lease of five minutes has just begun, and the run lives
    expect(second.headers['retry-after']).toBe('5');
    expectMismatch(await post('{A}/domains', { domain: uniqueDomain() }, key));
    await hold.release();
    const ended = await first;
    expect([ended.status, replayed(ended)]).toEqual([201, undefined]);
    expectReplay(await post('{A}/domains', body, key), ended);
    expectMismatch(await post('{A}/domains', { domain: uniqueDomain() }, key));
  });

  it('§4.3 rule 1 the claim is there before the operation has an effect', async () => {
    const hold = await holdAccount(postmesh, account.id);
    const key = unique('k');
    const before = await postmesh.sql<{ count: number }>(
      'select count(*)::int as count from accounts.api_keys where account_id = $1',
      [account.id],
    );
    const run = post('{A}/api-keys', { label: 'k', scopes: ['accounts:read'] }, key);
    const claimed = () =>
      postmesh.sql(
        `select status, secret, extract(epoch from expires_at - claimed_at)::int as lease
           from accounts.idempotency where key = $1`,
        [key],
      );
    await eventually(claimed).toEqual([{ status: null, secret: true, lease: 300 }]);
    const now = await postmesh.sql(
      'select count(*)::int as count from accounts.api_keys where account_id = $1',
      [account.id],
    );
    expect(now).toEqual(before);
    await hold.release();
    expect((await run).status).toBe(201);
  });

  it.each([
    ['validation 400', 400, '{A}/webhooks', { name: 'n' }],
    ['duplicate 409', 409, '{A}/domains', undefined],
    ['scope 403', 403, '{A}/webhooks', {}],
    ['domain of a send 403', 403, '{A}/messages/conversation', undefined],
  ])('§4.3 rule 2 an error is stored and replayed: %s', async (what, status, path, given) => {
    const key = unique('k');
    const as =
      status === 403
        ? await postmesh.newKey(account, { scopes: ['webhooks:read:all', `messages:send:{${domain}}`] })
        : account.key;
    const elsewhere = what.startsWith('domain') ? await postmesh.verifiedDomain(account) : domain;
    const body =
      given ?? (path === '{A}/domains' ? { domain } : { ...message(), from: { email: `a@${elsewhere}` } });
    const first = await post(path, body, key, as);
    expectError(first, status);
    expect([replayed(first), first.headers['retry-after']]).toEqual([undefined, undefined]);
    const again = await post(path, body, key, as);
    expectReplay(again, first);
  });

  it('§4.3 rule 2 a 404 is stored and replayed', async () => {
    const key = unique('k');
    const path = '{A}/sub-accounts/0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d/api-keys';
    const body = { label: 'k', scopes: ['accounts:read'] };
    expectError(await post(path, body, key), 404, 'sub account not found');
    // §4.4 rule 2: no 4xx is stored for the two creates of keys; the key stays in progress
    expectInProgress(await post(path, body, key));
  });

  it('§4.3 rule 7 a client that hangs up does not cancel the run; the result is stored', async () => {
    const hold = await holdDomainCreates(postmesh, account.id);
    const key = unique('k');
    const body = { domain: uniqueDomain() };
    const text = JSON.stringify(body);
    const socket = connect(Number(new URL(postmesh.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      [
        `POST /v2/accounts/${account.id}/domains HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${account.key.secret}`,
        `Idempotency-Key: ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${text.length}`,
        '',
        text,
      ].join('\r\n'),
    );
    const claims = () => postmesh.sql('select 1 from domains.idempotency where key = $1', [key]);
    await eventually(claims).toHaveLength(1);
    socket.destroy();
    expectInProgress(await post('{A}/domains', body, key));
    await hold.release();
    await eventually(async () => (await post('{A}/domains', body, key)).status).toBe(201);
    const replay = await post('{A}/domains', body, key);
    expect([replay.body.domain, replayed(replay)]).toEqual([body.domain, 'true']);
    const rows = await postmesh.sql('select 1 from domains.domains where domain = $1', [body.domain]);
    expect(rows).toHaveLength(1);
  });

  it('§4.3 rule 8 401, the IP 403, 413 and 415 leave the key untouched', async () => {
    const writer = await postmesh.newKey(account, { ip_allow_list: ['192.0.2.7'] });
    const key = unique('k');
    const body = hook();
    const again = (as: ApiKey | string, more: object) =>
      postmesh.api(as, 'POST', `/v2/accounts/${account.id}/webhooks`, {
        body,
        ...more,
        headers: { 'idempotency-key': key, ...(more as { headers?: object }).headers },
      });
    const before = [
      await again('pm-sk-unknown', {}),
      await again(writer, {}),
      await again(account.key, { headers: { 'content-type': 'text/plain' } }),
      await again(account.key, { rawBody: Buffer.alloc(30_000_001, 0x20) }),
    ];
    expect(before.map(({ status }) => status)).toEqual([401, 403, 415, 413]);
    expect(before.map(replayed).filter(Boolean)).toEqual([]);
    const first = await again(writer, { clientIp: '192.0.2.7' });
    expect([first.status, replayed(first)]).toEqual([201, undefined]);
    // a stored response is neither changed nor shown
    expect((await again(writer, {})).status).toBe(403);
    expectReplay(await again(writer, { clientIp: '192.0.2.7' }), first);
  });

  it.each(Object.keys(CREATES))(
    '§4.3 rule 9 of 20 identical requests at once exactly one runs: %s',
    async (id) => {
      const [path, body] = await CREATES[id]!();
      const key = unique('k');
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(path, body, key)));
      const fresh = answers.filter((response) => response.status < 300 && replayed(response) === undefined);
      expect(fresh).toHaveLength(1);
      for (const response of answers) {
        if (response === fresh[0]) continue;
        if (response.status === 409) expectInProgress(response);
        else expectReplay(response, fresh[0]!);
      }
      expectReplay(await post(path, body, key), fresh[0]!);
    },
  );

  it('§4.3 rule 9 exactly one resource exists afterwards', async () => {
    const own = await postmesh.newAccount();
    const [body, key] = [hook(), unique('k')];
    await Promise.all(Array.from({ length: 20 }, () => post('{A}/webhooks', body, key, own.key)));
    expect(await countOf('{A}/webhooks', own.key)).toBe(1);
    const label = { label: 'k', scopes: ['accounts:read'] };
    await Promise.all(Array.from({ length: 20 }, () => post('{A}/api-keys', label, unique('once'), own.key)));
    expect(await countOf('{A}/api-keys', own.key)).toBe(21);
  });

  it('§4.3 rule 10 a replay needs the scope of the operation; without it 403, and the record stays', async () => {
    const [strong, weak] = [
      await postmesh.newKey(account, { scopes: ['webhooks:write:all'] }),
      await postmesh.newKey(account, { scopes: ['accounts:read'] }),
    ];
    const [key, body] = [unique('k'), hook()];
    const first = await post('{A}/webhooks', body, key);
    expectError(
      await post('{A}/webhooks', body, key, weak),
      403,
      'api key does not have sufficient permissions to write webhooks',
    );
    expectReplay(await post('{A}/webhooks', body, key, strong), first);
    const secret = { label: 'k', scopes: ['accounts:read'] };
    const made = await post('{A}/api-keys', secret, `${key}-secret`);
    const refused = await post('{A}/api-keys', secret, `${key}-secret`, weak);
    expectError(refused, 403, FORBIDDEN);
    expect(refused.bytes.toString()).not.toContain(made.body.secret_key);
    expectReplay(await post('{A}/api-keys', secret, `${key}-secret`), made);
  });

  it("§4.3 rule 10 a weak key is not served a strong key's response to a send or to a scoped create", async () => {
    const elsewhere = await postmesh.verifiedDomain(account);
    const weak = await postmesh.newKey(account, {
      scopes: ['messages:send', 'webhooks:write', 'routes:write'].map((family) => `${family}:{${elsewhere}}`),
    });
    for (const [path, body] of [
      ['{A}/messages/conversation', message()],
      ['{A}/webhooks', hook()],
      ['{A}/webhooks', { ...hook(), scope: 'scoped', domains: [domain] }],
      ['{A}/routes', { name: 'r', url: 'http://127.0.0.1:9/', recipient: `*@${domain}` }],
    ] as const) {
      const key = unique('k');
      const first = await post(path, body, key);
      expectError(await post(path, body, key, weak), 403);
      expectReplay(await post(path, body, key), first);
    }
  });

  it('§4.3 rule 11 a replay does not check whether its domain was deleted since', async () => {
    const [key, body] = [unique('k'), { domain: uniqueDomain() }];
    const first = await post('{A}/domains', body, key);
    expect((await postmesh.api(account.key, 'DELETE', `{A}/domains/${body.domain}`)).status).toBe(200);
    expectReplay(await post('{A}/domains', body, key), first);
    expect((await postmesh.api(account.key, 'GET', `{A}/domains/${body.domain}`)).status).toBe(404);
  });
});

describe('§4.4 the two secret-bearing creates', () => {
  it.each(['api-keys.create', 'sub-account-api-keys.create'])(
    '§4.4 rule 1 a 201 is replayed with the same secret, which works: %s',
    async (id) => {
      const [path, body] = await CREATES[id]!();
      const key = unique('k');
      const first = await post(path, body, key);
      expectReplay(await post(path, body, key), first);
      expect((await postmesh.api(first.body.secret_key, 'GET', '/v2/ping')).status).toBe(200);
      const [row] = await postmesh.sql<{ left: number; sealed: boolean }>(
        `select extract(epoch from expires_at - clock_timestamp())::int as left, sealed
           from accounts.idempotency where key = $1`,
        [key],
      );
      expect(row?.sealed).toBe(true);
      expect(row?.left).toBeGreaterThan(280);
      expect(row?.left).toBeLessThanOrEqual(300);
    },
  );

  it('§4.4 rule 2 a 4xx is not stored and holds the key until the lease ends', async () => {
    const [key, body] = [unique('k'), { label: 'k', scopes: ['nonsense'] }];
    const first = await post('{A}/api-keys', body, key);
    expectError(first, 400, 'invalid scope: nonsense (for example messages:send:all)');
    expect(replayed(first)).toBeUndefined();
    expectInProgress(await post('{A}/api-keys', body, key));
    expectMismatch(await post('{A}/api-keys', { label: 'k', scopes: ['accounts:read'] }, key));
  });

  it.each([
    ['webhook', '{A}/webhooks', hook(), /^pm-whsec-[A-Za-z0-9]{64}$/],
    [
      'route',
      '{A}/routes',
      { name: 'r', url: 'http://127.0.0.1:9/', recipient: '' },
      /^pm-rsec-[A-Za-z0-9]{32}$/,
    ],
  ])(
    '§4.4 rule 4 a %s secret is replayed, under the rule of 24 h, and stored encrypted',
    async (_, path, body, form) => {
      const key = unique('k');
      const first = await post(path, body, key);
      expect(first.body.secret).toMatch(form);
      expectReplay(await post(path, body, key), first);
      const [row] = await postmesh.sql<{ left: number; sealed: boolean }>(
        `select extract(epoch from expires_at - clock_timestamp())::int as left, sealed
         from webhooks.idempotency where key = $1`,
        [key],
      );
      expect(row?.sealed).toBe(true);
      expect(row?.left).toBeGreaterThan(86_300);
    },
  );

  it('§4.4 rule 4 no table of the database contains a secret of any response', async () => {
    const made = [
      await post('{A}/webhooks', hook(), unique('k')),
      await post('{A}/routes', { name: 'r', url: 'http://127.0.0.1:9/', recipient: '' }, unique('k')),
      await post('{A}/api-keys', { label: 'k', scopes: ['accounts:read'] }, unique('k')),
    ];
    const secrets = made.map(({ body }) => String(body.secret ?? body.secret_key));
    const found = await textsInTables([account.id, ...secrets]);
    expect(found).toEqual(new Set([account.id]));
  }, 240_000);
});

/** The texts among these that a row of any table holds, as text or as bytes. */
async function textsInTables(texts: readonly string[]): Promise<Set<string>> {
  const tables = await postmesh.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const forms = texts.map((text) => [text, Buffer.from(text).toString('hex')] as const);
  const patterns = forms.flat().map((form) => `%${form}%`);
  const found = new Set<string>();
  for (const { name } of tables) {
    // each row is rendered once, for all texts
    const rows = await postmesh.sql<{ row: string }>(
      `select row from (select t::text as row from ${name} t offset 0) as rows where row like any($1)`,
      [patterns],
    );
    for (const [text, hex] of forms) {
      if (rows.some(({ row }) => row.includes(text) || row.includes(hex))) found.add(text);
    }
  }
  return found;
}
