import { createLogger } from '@postmesh/observability';
import { loadSettings, type Settings } from '@postmesh/settings';
import { startOidcProvider, type TestOidcProvider } from '@postmesh/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { OPERATOR_OIDC_COOKIE } from './operator-oidc.js';
import { OperatorServer, operatorWays } from './operator-server.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');
const SIGN_INS = '/operator/oidc-sign-ins';
const OPS = { groups: ['staff', 'mail-operators'] };

let provider: TestOidcProvider;
let settings: Settings;
let server: OperatorServer;
let base = '';

const start = async (given: Settings): Promise<{ server: OperatorServer; base: string }> => {
  const made = new OperatorServer({
    host: '127.0.0.1',
    port: 0,
    ...operatorWays(given, logger),
    logger,
    readiness: async () => ({ gateway: true }),
    metrics: async () => '',
  });
  made.route('GET', 'operator/whoami', async ({ operator }) => ({ body: { operator } }));
  return { server: made, base: `http://localhost:${await made.listen()}` };
};

beforeAll(async () => {
  provider = await startOidcProvider();
  settings = {
    ...loadSettings({}),
    outgoingHttpAllow: ['127.0.0.0/8'],
    operatorOidcIssuer: provider.issuer,
    operatorOidcClientId: provider.client.id,
    operatorOidcClientSecret: provider.client.secret,
    operatorOidcName: 'Acme',
    operatorOidcGroups: ['mail-operators', 'heads'],
  };
  ({ server, base } = await start(settings));
});
afterAll(async () => {
  await server.close();
  await provider.close();
});
afterEach(() => void vi.useRealTimers());

interface Answer {
  status: number;
  body: Record<string, unknown>;
  /** as a browser sends them afterwards */
  cookies: string;
  setCookie: string[];
}
const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> => {
  const page = { origin: base, 'sec-fetch-site': 'same-origin' };
  const init = { method: 'POST', headers: { ...page, ...headers }, body: JSON.stringify(body) };
  const response = await fetch(base + path, init);
  const setCookie = response.headers.getSetCookie();
  const cookies = setCookie.map((line) => line.split(';')[0]).join('; ');
  return {
    status: response.status,
    body: (await response.json()) as Answer['body'],
    cookies,
    setCookie,
  };
};
const begin = (to?: string) => post(`${SIGN_INS}/options`, to === undefined ? {} : { to });
const back = async ({ body }: Answer, login: string) =>
  new URL(await provider.logIn(String(body['url']), login)).search.slice(1);
const come = (response: string, cookie: string) => post(SIGN_INS, { response }, { cookie });
const signIn = async (login: string, to?: string) => {
  const flow = await begin(to);
  return come(await back(flow, login), flow.cookies);
};

describe('the sign-in of operators by OpenID Connect', () => {
  it('is unavailable, with a text, while the provider does not answer', async () => {
    const { status, body } = await begin();
    expect([status, body['message']]).toEqual([
      503,
      expect.stringMatching(/^Acme does not work at the moment/),
    ]);
    await provider.open(`${base}/console/sign-in/oidc`);
  });

  it('is announced to the page of the sign-in, as is the token', async () => {
    const ways = async (at: string) => (await fetch(`${at}/operator/sign-in-ways`)).json();
    expect(await ways(base)).toEqual({ token: false, oidc: { name: 'Acme' } });
    const token = 'pm-op-a-token-of-an-operator';
    const other = await start({ ...settings, operatorToken: token, operatorOidcIssuer: undefined, ...NONE });
    expect(await ways(other.base)).toEqual({ token: true, oidc: null });
    const refused = await fetch(`${other.base}${SIGN_INS}`, {
      method: 'POST',
      headers: { origin: other.base, 'sec-fetch-site': 'same-origin' },
    });
    expect(refused.status).toBe(404);
    await other.server.close();
  });

  it('lets the people of a group in, under their address, and to the page that was asked for', async () => {
    provider.know('ann@acme.test', OPS);
    const flow = await begin('/queues');
    const [line = ''] = flow.setCookie;
    expect(line).toMatch(
      new RegExp(
        `^${OPERATOR_OIDC_COOKIE}=[A-Za-z0-9]{64}; Max-Age=600; Path=/; Secure; HttpOnly; SameSite=Strict$`,
      ),
    );
    const url = new URL(String(flow.body['url']));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      redirect_uri: `${base}/console/sign-in/oidc`,
      response_type: 'code',
      code_challenge_method: 'S256',
    });
    const { status, body, cookies, setCookie } = await come(await back(flow, 'ann@acme.test'), flow.cookies);
    expect([status, body]).toEqual([201, { operator: 'ann@acme.test', idle_minutes: 30, to: '/queues' }]);
    expect(setCookie[0]).toMatch(/^__Host-postmesh-operator=[A-Za-z0-9]{64}; Path=\/; Secure; HttpOnly/);
    const whoami = await fetch(`${base}/operator/whoami`, { headers: { cookie: cookies } });
    expect(await whoami.json()).toEqual({ operator: 'ann@acme.test' });
  });

  it.each([
    ['bob@acme.test', { groups: ['staff'] }, 'bob@acme.test is in no group of Acme that may operate here'],
    ['eve@acme.test', { groups: ['MAIL-OPERATORS'] }, 'eve@acme.test is in no group of Acme that may'],
    ['none@acme.test', {}, 'none@acme.test is in no group of Acme that may operate here'],
    ['new@acme.test', { ...OPS, email_verified: false }, 'Acme has not verified your email address'],
    [`${'a'.repeat(60)}@acme.test`, OPS, 'cannot be the name of an operator'],
  ])('refuses %s', async (login, claims, message) => {
    provider.know(login, claims);
    const { status, body, setCookie } = await signIn(login);
    expect([status, body['message'], setCookie]).toEqual([403, expect.stringContaining(message), []]);
  });

  it('uses a flow once, in its browser, within ten minutes', async () => {
    provider.know('ann@acme.test', OPS);
    const flow = await begin();
    const response = await back(flow, 'ann@acme.test');
    const stranger = (await begin()).cookies;
    expect(['', stranger]).not.toContain(flow.cookies);
    for (const cookie of ['', stranger]) expect((await come(response, cookie)).status).toBe(401);
    expect((await come(response, flow.cookies)).status).toBe(201);
    expect((await come(response, flow.cookies)).body['message']).toMatch(/expired or was used already/);
    const late = await begin();
    const answer = await back(late, 'ann@acme.test');
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.advanceTimersByTime(600_000);
    expect((await come(answer, late.cookies)).status).toBe(401);
  });

  it('takes no request of another site, and keeps a bounded number of flows', async () => {
    const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
    for (const path of [SIGN_INS, `${SIGN_INS}/options`])
      expect((await post(path, {}, foreign)).status).toBe(403);
    const first = await begin();
    for (let count = 0; count < 1_000; count += 1) await begin();
    const response = await back(first, 'ann@acme.test');
    expect((await come(response, first.cookies)).status).toBe(401);
  });
});

const NONE = { operatorOidcClientId: undefined, operatorOidcClientSecret: undefined, operatorOidcGroups: [] };
