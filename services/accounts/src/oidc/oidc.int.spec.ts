import { KeyLookupResponse, type KnownKey } from '@postmesh/accounts-contract';
import {
  BROWSER_HEADER,
  newId,
  OIDC_COOKIE,
  SESSION_COOKIE,
  type MemberRole,
  type Principal,
} from '@postmesh/contracts';
import { createLogger } from '@postmesh/observability';
import { Pepper } from '@postmesh/secrets';
import { startTestService, type TestResponse, type TestService } from '@postmesh/service-testing';
import { loadSettings, type Settings } from '@postmesh/settings';
import { startOidcProvider, testDatabaseWithClock, type TestOidcProvider } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { ReceivedMail } from '../testing/received-mail.js';
import { SoftwarePasskey } from '../testing/software-passkey.js';
import { OidcProvider } from './oidc-provider.js';

const database = testDatabaseWithClock();
const ORIGIN = 'https://mail.example';
const CALLBACK = `${ORIGIN}/console/sign-in/oidc`;
const PUBLIC = '/public/console';
const SIGN_INS = `${PUBLIC}/oidc-sign-ins`;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** the accounts of the groups: the rows of a setting */
const TEAM = newId();
const OTHER = newId();

let provider: TestOidcProvider;
let settings: Partial<Settings>;
let accounts: TestService;
let counted = 0;

beforeAll(async () => {
  provider = await startOidcProvider({ saysLoginTime: true });
  settings = {
    baseUrl: ORIGIN,
    outgoingHttpAllow: ['127.0.0.0/8'],
    oidcIssuer: provider.issuer,
    oidcClientId: provider.client.id,
    oidcClientSecret: provider.client.secret,
    oidcName: 'Acme',
    oidcDomains: ['shop.test'],
    oidcGroups: [
      { group: 'heads', accountId: TEAM, role: 'Administrator' },
      { group: 'team', accountId: TEAM, role: 'Developer' },
      { group: 'team', accountId: OTHER, role: 'Analyst' },
      { group: 'lost', accountId: newId(), role: 'Analyst' },
    ],
  };
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    settings,
  });
  await newAccount(TEAM);
  await newAccount(OTHER);
});
afterAll(async () => {
  await accounts.stop();
  await provider.close();
});
beforeEach(() => database.advance(0));

const sql = (text: string, parameters: unknown[] = []) =>
  accounts.service.get(DataSource).query(text, parameters);
const address = (domain = 'shop.test') => `ann-${(counted += 1)}@${domain}`;

/** An account with its owner. @param id given to it instead of its own */
async function newAccount(id?: string): Promise<{ id: string; email: string }> {
  const email = address();
  const made = await accounts.internal('POST', '/operator/accounts', { name: 'Shop', owner_email: email });
  if (id === undefined) return { id: made.body.id, email };
  await sql(
    `insert into accounts select (jsonb_populate_record(null::accounts, to_jsonb(a) || jsonb_build_object('id', $2::text))).*
     from accounts a where id = $1`,
    [made.body.id, id],
  );
  return { id, email };
}

async function newMember(role: MemberRole, account?: string, domain?: string): Promise<string> {
  const id = account ?? (await newAccount()).id;
  const email = address(domain);
  const body = { email, role };
  const { status } = await accounts.call('POST', `/v2/accounts/${id}/members`, { account_id: id, body });
  expect(status).toBe(201);
  return email;
}

const rolesOf = async (email: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (
      await sql(
        'select account_id, role from members join users on users.id = user_id where email = $1 order by 1',
        [email],
      )
    ).map((row: { account_id: string; role: string }) => [row.account_id, row.role]),
  );

interface Started {
  url: URL;
  /** the value of the cookie */
  browser: string;
}

const started = ({ status, body, headers }: TestResponse): Started => {
  expect(status).toBe(200);
  const cookie = String(headers['set-cookie']);
  expect(cookie).toMatch(/; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
  return {
    url: new URL(body.url),
    browser: new RegExp(`^${OIDC_COOKIE}=(\\w{64});`).exec(cookie)?.[1] ?? '',
  };
};
const start = async (body: object = {}, headers = {}) =>
  started(await accounts.call('POST', `${SIGN_INS}/options`, { body, headers }));
const come = (response: string, browser?: string) =>
  accounts.call('POST', SIGN_INS, {
    body: { response },
    headers: browser === undefined ? {} : { [BROWSER_HEADER]: browser },
  });
const back = async ({ url }: Started, login: string, cookies?: Map<string, string>) =>
  new URL(await provider.logIn(url.href, login, cookies)).search.slice(1);

async function signIn(login: string, cookies?: Map<string, string>): Promise<TestResponse> {
  const flow = await start();
  return come(await back(flow, login, cookies), flow.browser);
}
const refusedSignIn = async (login: string) => {
  const { status, body, headers } = await signIn(login);
  expect(headers['set-cookie']).toBeUndefined();
  return [status, body.message];
};

const secretOf = ({ headers }: TestResponse): string =>
  new RegExp(`${SESSION_COOKIE}=(\\w+);`).exec(String(headers['set-cookie']))?.[1] ?? '';

async function known(secret: string): Promise<KnownKey | undefined> {
  const hashes = new Pepper(accounts.context.settings.secretKeys)
    .candidates(secret)
    .map((hash) => hash.toString('base64'));
  const { body } = await accounts.internal('POST', '/internal/sessions/lookup', { hashes });
  return KeyLookupResponse.parse(body).keys[0];
}

it('the provider is away: sign-ins say so, and nothing is kept of that', async () => {
  const refused = await accounts.call('POST', `${SIGN_INS}/options`, { body: {} });
  expect([refused.status, refused.body]).toEqual([
    503,
    { message: 'Acme does not work at the moment: try again later, or use another way to sign in' },
  ]);
  expect((await accounts.call('GET', `${PUBLIC}/sign-in-ways`)).body).toEqual({
    oidc: { name: 'Acme', only: false },
  });
  await provider.open(CALLBACK);
  await start();
});

it('calls no private address that the operator has not allowed, and believes no other issuer', async () => {
  const url = (other: Partial<Settings>) => {
    const oidc = new OidcProvider(
      { ...loadSettings({}), ...settings, ...other },
      createLogger({ logLevel: 'silent' }, 'test'),
    );
    const flow = { state: 'a', nonce: 'b', verifier: 'c'.repeat(43) };
    return oidc.authorizationUrl(flow).finally(() => oidc.onModuleDestroy());
  };
  const before = provider.requests.length;
  await expect(url({ outgoingHttpAllow: [] })).rejects.toMatchObject({ status: 503 });
  expect(provider.requests).toHaveLength(before);
  await expect(url({})).resolves.toContain('code_challenge_method=S256');
  // the same provider, which calls itself by its address
  const oidcIssuer = provider.issuer.replace('127.0.0.1', 'localhost');
  await expect(url({ oidcIssuer })).rejects.toMatchObject({ status: 503 });
});

describe('a sign-in at the provider', () => {
  it('begins a session like a link does, and leads to the page that was asked for', async () => {
    const { id } = await newAccount();
    const email = await newMember('Analyst', id);
    const flow = await start({ to: '/messages?status=Bounced' });
    expect(Object.fromEntries(flow.url.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^sign-in\.\w{43}$/),
    });
    const { status, body, headers } = await come(await back(flow, email.toUpperCase()), flow.browser);
    expect(status).toBe(201);
    expect(headers['set-cookie']).toMatch(/; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
    expect(body).toMatchObject({
      to: '/messages?status=Bounced',
      session: { member: { email }, account: { id }, roles: ['Analyst'] },
    });
    const entries = await sql('select action, actor_kind, details from audit_entries where subject_id = $1', [
      body.session.id,
    ]);
    const details = { way: 'oidc', client_ip: '127.0.0.1' };
    expect(entries).toEqual([{ action: 'session.begin', actor_kind: 'member', details }]);
  });

  it('is used once, in ten minutes, in the browser in which it began', async () => {
    const email = await newMember('Analyst');
    const flow = await start();
    const response = await back(flow, email);
    const other = await start();
    const over = { message: 'this sign-in has expired or was used already, start again' };
    for (const browser of [undefined, 'x', other.browser])
      expect([(await come(response, browser)).status, (await come(response, browser)).body]).toEqual([
        401,
        over,
      ]);
    const again = await Promise.all(Array.from({ length: 3 }, () => come(response, flow.browser)));
    expect(again.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    const late = await start();
    const late_response = await back(late, email);
    await database.advance(10 * MINUTE + 1_000);
    expect((await come(late_response, late.browser)).status).toBe(401);
  });

  it('goes on in two tabs of a browser', async () => {
    const email = await newMember('Analyst');
    const one = await start();
    const other = await start({}, { [BROWSER_HEADER]: one.browser });
    expect(other.browser).toBe(one.browser);
    for (const flow of [one, other])
      expect((await come(await back(flow, email), one.browser)).status).toBe(201);
  });

  it.each([
    ['another state', (query: URLSearchParams) => query.set('state', `sign-in.${'x'.repeat(43)}`)],
    ['no state', (query: URLSearchParams) => query.delete('state')],
    ['another issuer', (query: URLSearchParams) => query.set('iss', 'https://evil.test')],
    ['another code', (query: URLSearchParams) => query.set('code', 'made-up')],
    ['no code', (query: URLSearchParams) => query.delete('code')],
  ])('is refused with %s in the response', async (_, change) => {
    const email = await newMember('Analyst');
    const flow = await start();
    const query = new URLSearchParams(await back(flow, email));
    change(query);
    const refused = await come(query.toString(), flow.browser);
    expect([refused.status, refused.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it.each([
    ['another nonce', 'nonce', 'x'],
    ['the challenge of another verifier', 'code_challenge', 'x'.repeat(43)],
  ])('is refused with %s in the request', async (_, name, value) => {
    const email = await newMember('Analyst');
    const flow = await start();
    flow.url.searchParams.set(name, value);
    const refused = await come(await back(flow, email), flow.browser);
    expect([refused.status, refused.body]).toEqual([
      401,
      { message: 'the answer of Acme was not accepted, start the sign-in again' },
    ]);
  });

  it('that the person has given up is not an error of the provider', async () => {
    const flow = await start();
    const state = flow.url.searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer });
    const refused = await come(query.toString(), flow.browser);
    expect([refused.status, refused.body]).toEqual([
      401,
      { message: 'the sign-in at Acme was not completed' },
    ]);
  });

  it('is of a verified address in a domain of ours, which a member has', async () => {
    const [unverified, silent, stranger] = [
      await newMember('Analyst'),
      await newMember('Analyst'),
      address(),
    ];
    provider.know(unverified, { email_verified: false });
    provider.know(silent, { email_verified: undefined });
    const outside = await newMember('Analyst', undefined, 'evil.test');
    const notVerified = [403, 'Acme has not verified your email address'];
    expect([await refusedSignIn(unverified), await refusedSignIn(silent)]).toEqual([
      notVerified,
      notVerified,
    ]);
    expect(await refusedSignIn(outside)).toEqual([
      403,
      'addresses of evil.test do not sign in with Acme here',
    ]);
    expect(await refusedSignIn(stranger)).toEqual([
      403,
      `${stranger} is not a member of an account here: ask an Administrator of yours to add you`,
    ]);
    expect(await sql('select from users where email = $1', [stranger])).toEqual([]);
  });

  it.each(['https://evil.test', '//evil.test', '/\\evil.test', '/a#b'])(
    'leads to no other place than a page of the console: %s',
    async (to) => {
      const refused = await accounts.call('POST', `${SIGN_INS}/options`, { body: { to } });
      expect([refused.status, refused.body]).toEqual([400, { message: 'to is not a path of the console' }]);
    },
  );

  it('begins a session of a day at most', async () => {
    const secret = secretOf(await signIn(await newMember('Analyst')));
    const id = (await known(secret))?.principal.key_id;
    const use = () =>
      accounts.internal('POST', '/internal/keys/used', {
        uses: [{ key_id: id, used_at: new Date().toISOString(), session: true }],
      });
    for (const hours of [10, 10]) {
      await database.advance(hours * HOUR);
      await use();
    }
    expect(await known(secret)).toBeDefined();
    await database.advance(4 * HOUR + MINUTE);
    expect(await known(secret)).toBeUndefined();
  });
});

describe('groups', () => {
  it('make a member, change the role with the next sign-in, and end what they made', async () => {
    const email = address();
    provider.know(email, { name: 'Ann', groups: ['team', 'lost'] });
    const first = await signIn(email);
    expect(first.body.session).toMatchObject({ member: { email, name: 'Ann' }, accounts: [{}, {}] });
    expect(await rolesOf(email)).toEqual({ [TEAM]: 'Developer', [OTHER]: 'Analyst' });
    provider.know(email, { groups: ['heads'] });
    expect((await signIn(email)).status).toBe(201);
    expect(await rolesOf(email)).toEqual({ [TEAM]: 'Administrator' });
    const secret = secretOf(await signIn(email));
    expect((await known(secret))?.principal.member?.role).toBe('Administrator');
    provider.know(email, { groups: [] });
    expect(await refusedSignIn(email)).toEqual([
      403,
      expect.stringContaining('is not a member of an account'),
    ]);
    expect([await rolesOf(email), await known(secret)]).toEqual([{}, undefined]);
    const actions = await sql(
      `select action, actor_kind, details from audit_entries where account_id = $1 and subject_id =
         (select id::text from users where email = $2) order by id`,
      [TEAM, email],
    );
    const by = (action: string, details: object) => ({
      ...{ action, actor_kind: 'system' },
      details: { way: 'oidc', ...details },
    });
    expect(actions).toEqual([
      by('member.join', { role: 'Developer' }),
      by('member.update', { role: 'Administrator', before: 'Developer' }),
      by('member.remove', { role: 'Administrator' }),
    ]);
  });

  it('take over an invited member of their account, and leave those of other accounts and owners', async () => {
    const elsewhere = await newMember('Analyst');
    const invited = await newMember('Analyst', TEAM);
    const [owner] = await sql(
      'select email from users join accounts on owner_id = users.id where accounts.id = $1',
      [OTHER],
    );
    for (const email of [elsewhere, invited]) expect((await signIn(email)).status).toBe(201);
    expect(Object.values(await rolesOf(elsewhere))).toEqual(['Analyst']);
    expect(await rolesOf(invited)).toEqual({ [TEAM]: 'Analyst' });
    for (const email of [invited, owner.email]) provider.know(email, { groups: ['team'] });
    expect((await signIn(invited)).status).toBe(201);
    expect(await rolesOf(invited)).toMatchObject({ [TEAM]: 'Developer' });
    expect((await signIn(owner.email)).body.session.accounts).toContainEqual(
      expect.objectContaining({ id: OTHER, roles: ['Administrator'] }),
    );
    provider.know(invited, { groups: [] });
    expect((await signIn(invited)).status).toBe(403);
  });
});

describe('a confirmation', () => {
  /** A session by the provider, and how its page asks the operations of the confirmation. */
  async function session(email: string, cookies?: Map<string, string>) {
    const secret = secretOf(await signIn(email, cookies));
    const principal = (await known(secret))?.principal as Principal;
    const ask = (path: string, more: object = {}) =>
      accounts.call('POST', `/console/api/session/confirmation/oidc${path}`, { principal, ...more });
    return {
      secret,
      start: async () => started(await ask('/options')),
      ask,
      confirm: (response: string, browser: string) =>
        ask('', { body: { response }, headers: { [BROWSER_HEADER]: browser } }),
      left: async () => Date.parse((await known(secret))?.confirmed_until ?? '') - Date.now(),
    };
  }

  it('is a new login at the provider, and good for ten minutes', async () => {
    const email = await newMember('Administrator');
    const { secret, start: begin, confirm, left } = await session(email);
    expect((await known(secret))?.confirmed_by).toEqual(['oidc']);
    // the sign-in was a login just now
    expect(await left()).toBeGreaterThan(9 * MINUTE);
    await database.advance(11 * MINUTE);
    expect(await left()).toBeLessThan(0);
    const flow = await begin();
    expect(Object.fromEntries(flow.url.searchParams)).toMatchObject({
      prompt: 'login',
      max_age: '0',
      login_hint: email,
      state: expect.stringMatching(/^confirm\./),
    });
    const response = await back(flow, email);
    expect((await come(response, flow.browser)).status).toBe(401);
    expect((await confirm(response, flow.browser)).body).toEqual({ message: 'confirmed' });
    expect(await left()).toBeGreaterThan(9 * MINUTE);
    expect((await confirm(response, flow.browser)).status).toBe(401);
    await database.advance(11 * MINUTE);
    expect(await left()).toBeLessThan(0);
  });

  it('is by the same person, for the session that has asked for it', async () => {
    const email = await newMember('Administrator');
    const [one, other] = [await session(email), await session(email)];
    await database.advance(11 * MINUTE);
    const flow = await one.start();
    const response = await back(flow, await newMember('Administrator'));
    expect((await other.confirm(response, flow.browser)).status).toBe(401);
    const refused = await one.confirm(response, flow.browser);
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: `you are signed in as ${email}: confirm as the same person` },
    ]);
    expect(await one.left()).toBeLessThan(0);
  });

  it('is no login of before, which a changed request would bring back', async () => {
    const email = await newMember('Administrator');
    const cookies = new Map<string, string>();
    await session(email, cookies);
    await database.advance(11 * MINUTE);
    // logged in at the provider since then: another sign-in is no confirmation
    const { start: begin, confirm, left } = await session(email, cookies);
    expect(await left()).toBeLessThan(0);
    const flow = await begin();
    for (const name of ['prompt', 'max_age']) flow.url.searchParams.delete(name);
    const refused = await confirm(await back(flow, email, cookies), flow.browser);
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: 'Acme did not ask you to sign in again' },
    ]);
    expect(await left()).toBeLessThan(0);
    const again = await begin();
    expect((await confirm(await back(again, email, cookies), again.browser)).status).toBe(200);
  });

  it('is for sessions by the provider alone, where a passkey is another way', async () => {
    const email = await newMember('Administrator');
    const made = await accounts.internal('POST', '/operator/sign-in-links', { email });
    const token = String(made.body.url).split('#')[1];
    const byLink = secretOf(await accounts.call('POST', `${PUBLIC}/sessions`, { body: { token } }));
    const principal = (await known(byLink))?.principal as Principal;
    const call = (path: string, body: object) =>
      accounts.call('POST', `/console/api${path}`, { principal, body });
    const refused = await call('/session/confirmation/oidc/options', {});
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: 'this session has not begun with Acme' },
    ]);
    const passkey = new SoftwarePasskey(ORIGIN);
    const { challenge } = (await call('/passkeys/options', {})).body;
    await call('/passkeys', { label: 'Laptop', credential: passkey.register(challenge) });
    expect((await known(byLink))?.confirmed_by).toEqual(['passkey']);
    expect((await known((await session(email)).secret))?.confirmed_by).toEqual(['passkey', 'oidc']);
  });
});

describe('where it is the only way', () => {
  let only: TestService;
  let mail: ReceivedMail;
  beforeAll(async () => {
    only = await startTestService(ACCOUNTS_SERVICE, {
      databaseUrl: database.url,
      settings: { ...settings, oidcOnly: true },
    });
    mail = await ReceivedMail.of(only);
  });
  afterAll(() => only.stop());
  const refused = { message: 'addresses of shop.test sign in with Acme here' };
  const use = (token?: string) => only.call('POST', `${PUBLIC}/sessions`, { body: { token } });
  const operatorLink = async (email: string) =>
    String((await only.internal('POST', '/operator/sign-in-links', { email })).body.url).split('#')[1];

  it('links and passkeys of its domains are refused, the same for unknown addresses; an operator has a way', async () => {
    const email = await newMember('Administrator');
    for (const asked of [email, address()]) {
      const answer = await only.call('POST', `${PUBLIC}/sign-in-links`, { body: { email: asked } });
      expect([answer.status, answer.body]).toEqual([403, refused]);
    }
    const token = await operatorLink(email);
    const [link] = await sql('select id from sign_in_links order by created_at desc limit 1');
    await sql(`update sign_in_links set way = 'invitation' where id = $1`, [link.id]);
    expect([(await use(token)).status, (await use(token)).body]).toEqual([403, refused]);
    const secret = secretOf(await use(await operatorLink(email)));
    const principal = (await known(secret))?.principal as Principal;
    const passkey = new SoftwarePasskey(ORIGIN);
    const options = (await only.call('POST', '/console/api/passkeys/options', { principal })).body;
    const body = { label: 'Laptop', credential: passkey.register(options.challenge) };
    expect((await only.call('POST', '/console/api/passkeys', { principal, body })).status).toBe(201);
    const { challenge } = (await only.call('POST', `${PUBLIC}/passkey-sign-ins/options`)).body;
    const byPasskey = await only.call('POST', `${PUBLIC}/passkey-sign-ins`, {
      body: { credential: passkey.assert(challenge) },
    });
    expect([byPasskey.status, byPasskey.body]).toEqual([403, refused]);
  });

  it('addresses of other domains have links, and an invitation has none for those of its own', async () => {
    const outside = { email: address('partner.test'), role: 'Analyst' };
    const inside = { email: address(), role: 'Analyst' };
    const { id } = await newAccount();
    for (const body of [outside, inside])
      expect((await only.call('POST', `/v2/accounts/${id}/members`, { account_id: id, body })).status).toBe(
        201,
      );
    const asked = await only.call('POST', `${PUBLIC}/sign-in-links`, { body: { email: outside.email } });
    expect(asked.status).toBe(202);
    const invitations = await mail.expect(id, 'invitation', 2);
    const textTo = (email: string) =>
      invitations.find(({ recipients }) => recipients[0]?.email === email)?.text ?? '';
    expect(textTo(outside.email)).toContain('/console/sign-in#');
    expect(textTo(inside.email)).not.toContain('/sign-in#');
    expect(textTo(inside.email)).toContain('You sign in there with Acme.');
  });
});
