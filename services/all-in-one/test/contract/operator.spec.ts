import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Installation } from '../installation.js';
import { newChild, sendMessage } from './families.js';
import { expectError, sharedInstallation, unique, uniqueDomain, type Account } from './harness.js';
import { send, type HttpResponse } from './http-request.js';
import { ONCALLS_TOKEN } from './installation-facts.js';

const postmesh = sharedInstallation();
const ACCOUNTS = '/operator/accounts/accounts';

/** As the operator oncall. */
function oncall(method: string, path: string, body?: unknown, token = ONCALLS_TOKEN): Promise<HttpResponse> {
  const url = postmesh.credentials.operator_url.replace('//localhost:', '//127.0.0.1:');
  return send({
    method,
    url: `${url}${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

interface Entry {
  at: string;
  actor: string;
  action: string;
  account_id: string | null;
  details: Record<string, unknown>;
}

const audit = async (query: string): Promise<Entry[]> =>
  (await oncall('GET', `/operator/accounts/audit?${query}`)).body.data as Entry[];

describe('operators', () => {
  it('act under the name of their token, and not without one', async () => {
    const body = { name: unique('Named'), owner_email: `${unique('owner')}@mail.test` };
    const made = await oncall('POST', ACCOUNTS, body);
    expect(made.status).toBe(201);
    await postmesh.operator('POST', `${ACCOUNTS}/${made.body.id}/suspend`, { reason: 'looks odd' });
    expectUnauthorised(await oncall('GET', ACCOUNTS, undefined, `${ONCALLS_TOKEN}x`));
    const entries = await audit(`account_id=${made.body.id}`);
    expect(entries.map(({ actor, action, details }) => [actor, action, details])).toEqual([
      ['operator', 'account.suspend', { reason: 'looks odd' }],
      ['operator oncall', 'account.create', { name: body.name }],
    ]);
    expect(Date.now() - Date.parse(entries[0]?.at ?? '')).toBeLessThan(60_000);
    expect(await audit('actor=oncall&limit=1')).toMatchObject([{ account_id: made.body.id }]);
  });

  const expectUnauthorised = (response: HttpResponse) =>
    expect([response.status, response.body]).toEqual([401, { message: 'missing or wrong operator token' }]);

  it('are refused at the start when two tokens are equal, in an error without the token', async () => {
    const twice = `oncall:${ONCALLS_TOKEN},billing:${ONCALLS_TOKEN}`;
    const installation = await Installation.create({ POSTMESH_OPERATOR_TOKENS: twice });
    try {
      await expect(installation.start()).rejects.toThrow(
        /POSTMESH_OPERATOR_TOKENS: .* entry 2 has the token/,
      );
      expect(installation.output).not.toContain(ONCALLS_TOKEN);
    } finally {
      await installation.remove();
    }
  });

  it('leave a note where the service keeps no audit, with how it was answered', async () => {
    const account = await postmesh.newAccount();
    const path = `/operator/domains/accounts/${account.id}/settings`;
    expect((await oncall('PUT', path, { domain_limit: 3 })).status).toBe(200);
    expect((await oncall('PUT', path, { domain_limit: 'many' })).status).toBe(400);
    await oncall('POST', '/operator/jobs/retry');
    const settings = {
      actor: 'operator oncall',
      action: 'PUT domains/accounts/{account_id}/settings',
      account_id: account.id,
    };
    expect(await audit(`account_id=${account.id}&actor=oncall`)).toMatchObject([
      { ...settings, details: { status: 400, body: { domain_limit: 'many' } } },
      { ...settings, details: { status: 200, body: { domain_limit: 3 } } },
    ]);
    expect(await audit('action=POST%20jobs/retry&limit=1')).toMatchObject([
      { actor: 'operator oncall', details: { status: 200 } },
    ]);
  });
});

describe('§16 values of one account', () => {
  const limit = (account: Account, wish: object) => oncall('PUT', `${ACCOUNTS}/${account.id}`, wish);

  it('§16 PLATFORM_PARTNER_DEFAULT: on, until the operator takes the flag, in the next request', async () => {
    const account = await postmesh.newAccount();
    const child = await newChild(postmesh, account);
    expect((await postmesh.api(account.key, 'GET', '{A}/sub-accounts')).status).toBe(200);
    const taken = await limit(account, { platform_partner: false });
    expect(taken.body).toMatchObject({ platform_partner: false, sub_account_count: 1 });
    expectError(
      await postmesh.api(account.key, 'GET', '{A}/sub-accounts'),
      403,
      'sub accounts are not enabled for this account',
    );
    expect((await oncall('GET', `${ACCOUNTS}/${child.id}`)).body.platform_partner).toBe(false);
    await limit(account, { platform_partner: true });
    expect((await postmesh.api(account.key, 'GET', '{A}/sub-accounts')).status).toBe(200);
    expect(await audit(`account_id=${account.id}&action=account.update`)).toMatchObject([
      { details: { before: { platform_partner: false }, after: { platform_partner: true } } },
      { details: { before: { platform_partner: true }, after: { platform_partner: false } } },
    ]);
  });

  it('§16 RATE_GENERAL, RATE_STATISTICS: an account may have rates of its own', async () => {
    const account = await postmesh.newAccount();
    const ping = async () => (await postmesh.api(account.key, 'GET', '/v2/ping')).status;
    await limit(account, { rate_limits: { general: { per_second: 1, burst: 2 } } });
    const seen = [await ping(), await ping(), await ping(), await ping()];
    expect(seen.slice(0, 2)).toEqual([200, 200]);
    expect(seen).toContain(429);
    const given = await limit(account, { rate_limits: null });
    expect(given.body.rate_limits).toBeNull();
    expect(await ping()).toBe(200);
  });

  it('§16 DOMAIN_LIMIT, DNS_MODE_DEFAULT: an account may have its own', async () => {
    const account = await postmesh.newAccount();
    const path = `/operator/domains/accounts/${account.id}/settings`;
    expect((await oncall('GET', path)).body).toMatchObject({ domainLimit: 10_000, dnsMode: 'managed' });
    await oncall('PUT', path, { domain_limit: 1, dns_mode: 'manual' });
    const add = () => postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: uniqueDomain() } });
    const first = await add();
    const dkim = first.body.dns_records.find(({ label }: { label: string }) => label === 'DKIM');
    expect([first.status, dkim.type]).toEqual([201, 'TXT']);
    expectError(await add(), 403, 'domain limit reached');
  });

  it('§10.4 rule 7: a monthly credit of a parent is for the whole family, from the next request on', async () => {
    const account = await postmesh.newAccount();
    const child = await newChild(postmesh, account);
    const [own, childs] = [await postmesh.verifiedDomain(account), await postmesh.verifiedDomain(child)];
    const given = await limit(account, { monthly_credit: 2 });
    expect(given.body.credit_pool).toEqual({ account_id: account.id, monthly_credit: 2 });
    const message = (from: string) => ({ from, to: [`${unique('to')}@mail.test`] });
    expect((await sendMessage(postmesh, account, message(own))).status).toBe(202);
    expect((await sendMessage(postmesh, child, message(childs))).status).toBe(202);
    const refused = await sendMessage(postmesh, child, message(childs));
    expectError(refused, 403, 'monthly sending limit reached');
    const usage = await oncall('GET', `${ACCOUNTS}/${account.id}/usage`);
    expect(usage.body.total.reception_count).toBe(2);
    await limit(account, { monthly_credit: 0 });
    expect((await sendMessage(postmesh, child, message(childs))).status).toBe(202);
  });
});

describe('§2.5 states that an operator gives', () => {
  it('§2.5 table: suspended, blocked and free again, in the next request; children with their parent', async () => {
    const account = await postmesh.newAccount();
    const child = await newChild(postmesh, account);
    const seen = async () => {
      const answers = await Promise.all(
        [account, child].map(({ key }) => postmesh.api(key, 'GET', '/v2/ping')),
      );
      const states = await Promise.all([account, child].map(({ id }) => oncall('GET', `${ACCOUNTS}/${id}`)));
      return [...answers.map(({ status }) => status), ...states.map(({ body }) => body.state)];
    };
    const act = (action: string, body?: object) =>
      oncall('POST', `${ACCOUNTS}/${account.id}/${action}`, body);
    await act('suspend', { reason: 'bounces' });
    expect(await seen()).toEqual([200, 200, 'suspended', 'parent-suspended']);
    await act('block', { reason: 'spam' });
    expect(await seen()).toEqual([401, 401, 'blocked', 'blocked']);
    expectError(await postmesh.api(account.key, 'GET', '/v2/ping'), 401, 'account is suspended');
    await act('unblock');
    await act('resume');
    expect(await seen()).toEqual([200, 200, 'active', 'active']);
  });

  it('§2.5 table: a deleted account with its sub-accounts is unknown', async () => {
    const account = await postmesh.newAccount();
    const child = await newChild(postmesh, account);
    const gone = await oncall('DELETE', `${ACCOUNTS}/${account.id}`, { reason: 'asked for it' });
    expect([gone.status, gone.body.state]).toEqual([200, 'deleted']);
    for (const { key } of [account, child]) {
      expectError(await postmesh.api(key, 'GET', '/v2/ping'), 401, 'invalid API key');
    }
    expect(await audit(`account_id=${child.id}&action=account.delete`)).toMatchObject([
      { actor: 'operator oncall', details: { reason: 'asked for it', with_parent: account.id } },
    ]);
  });
});

describe('npx postmesh', () => {
  const PROGRAM = fileURLToPath(new URL('../../../../tools/postmesh.mjs', import.meta.url));

  function run(...words: string[]): Promise<{ code: number; out: string; trouble: string }> {
    const { operator_url: url } = postmesh.credentials;
    const env = {
      PATH: process.env.PATH,
      POSTMESH_OPERATOR_URL: url,
      POSTMESH_OPERATOR_TOKEN: ONCALLS_TOKEN,
    };
    return new Promise((resolve) =>
      execFile(process.execPath, [PROGRAM, ...words], { env }, (error, out, trouble) =>
        resolve({ code: Number(error?.code ?? 0), out, trouble }),
      ),
    );
  }
  const json = async (...words: string[]) => JSON.parse((await run(...words, '--json')).out);

  it('makes an account and a key that works, limits it, and takes the key back', async () => {
    const [name, owner] = [unique('Corp'), `${unique('owner')}@mail.test`];
    const account = await json('account-create', '--name', name, '--owner-email', owner);
    const key = await json('key-create', account.id, '--label', 'Live', '--scope', 'accounts:read');
    const read = () => postmesh.api(key.secret_key, 'GET', `/v2/accounts/${account.id}`);
    expect((await read()).body).toMatchObject({ name });
    expect((await run('accounts', '--search', owner)).out).toMatch(
      new RegExp(`^id .*\\n${account.id}  active  ${name}  ${owner}  \\S+  -\\n$`),
    );
    const changed = await run('account-update', account.id, '--monthly-credit', '500');
    expect(changed.out).toMatch(/^monthly_credit +500$/m);
    expect((await run('members', account.id)).out).toMatch(new RegExp(`${owner} .* Administrator +yes `));
    expect((await run('keys', account.id)).out).toMatch(/Live +pm-pk-\S+ +accounts:read +any/);
    expect((await run('key-delete', account.id, key.id)).out).toContain('deleted successfully');
    expect((await read()).status).toBe(401);
    const shown = await run('audit', '--account', account.id, '--since', '1h');
    const actions = ['api-key.delete', 'account.update', 'api-key.create', 'account.create'];
    const pattern = actions.map((action) => `operator oncall +${action} .*`).join('\\n.*');
    expect(shown.out).toMatch(new RegExp(pattern));
    expect(shown.out).not.toContain('-sk-');
  });

  it('reports healthy parts, and the DNS records of the system sender', async () => {
    const doctor = await run('doctor');
    expect(doctor.trouble).toBe('');
    // webhooks of the other files of this installation may be failing
    const bad = doctor.out.split('\n').filter((line) => line.startsWith('NO ') && !/ succeeds? /.test(line));
    expect(bad).toEqual([]);
    const shown = await run('system-domain');
    expect(shown.out).toMatch(/^postmesh\.test /m);
    expect(shown.out).toMatch(/^yes +\S+ +TXT +_dmarc\.postmesh\.test +v=DMARC1/m);
    expect((await run('zone')).out).toMatch(/^TXT +spf\.postmesh\.test +v=spf1 /m);
  });

  it('examines a domain: each check with its state, and the requirements of providers', async () => {
    const account = await postmesh.newAccount();
    const domain = await postmesh.verifiedDomain(account, uniqueDomain());
    const shown = await run('doctor', '--domain', domain);
    expect(shown).toMatchObject({ code: 0, trouble: '' });
    for (const id of ['spf', 'dkim', 'dmarc', 'alignment'])
      expect(shown.out).toMatch(new RegExp(`^${account.id} +ok +${id} `, 'm'));
    // the local internet takes all mail: there is no public address
    expect(shown.out).toMatch(/ unknown +address_lists +No public address is known/);
    expect(shown.out).toMatch(/ gmail +bulk +From aligned with SPF or DKIM +yes$/m);
    const other = await run(
      'doctor',
      '--domain',
      domain,
      '--account',
      '01980f3e-0000-7000-8000-000000000000',
    );
    expect(other.trouble).toContain('does not have');
  });

  it('makes a pool with a source and a rule: audited, and its address is in the records of the zone', async () => {
    const pool = `p${Date.now()}`;
    expect(await run('egress', 'pool', pool, '--when-blocked', 'wait')).toMatchObject({ code: 0 });
    const address = '127.0.0.77';
    const source = ['--address', address, '--ehlo', 'mta-77.svc.test', '--pool', pool];
    expect(await run('egress', 'source', pool, ...source)).toMatchObject({ code: 0 });
    expect(await run('egress', 'rule', pool, '--pool', pool, '--tag', pool)).toMatchObject({ code: 0 });
    const spf = expect.stringMatching(new RegExp(`spf\\.\\S+ +v=spf1 .*ip4:${address} .*-all`));
    await expect.poll(async () => (await run('zone')).out, { timeout: 20_000 }).toEqual(spf);
    expect((await run('egress')).out).toMatch(new RegExp(`^${pool} +${pool} +${address} `, 'm'));
    for (const kind of ['rule', 'source', 'pool'])
      expect(await run('egress', 'remove', kind, pool), kind).toMatchObject({ code: 0 });
    // receivers may still judge mail that left from it
    expect((await run('zone')).out).toEqual(spf);
    const actions = (await audit('limit=50')).map(({ action }) => action);
    for (const kind of ['rules', 'sources', 'pools'])
      for (const method of ['PUT', 'DELETE'])
        expect(actions).toContain(`${method} delivery-worker/egress/${kind}/${pool}`);
  });

  it('reports each problem', async () => {
    expect(await run('account', 'nonsense')).toMatchObject({
      code: 2,
      trouble: expect.stringContaining('400 invalid account_id'),
    });
    expect((await run('account-block')).trouble).toContain(
      'usage: npx postmesh account-block <account id> <reason>',
    );
  });
});
