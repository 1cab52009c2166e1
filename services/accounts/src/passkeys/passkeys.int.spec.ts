import { KeyLookupResponse, type KnownKey } from '@postmesh/accounts-contract';
import { SESSION_COOKIE } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabaseWithClock } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { SoftwarePasskey } from '../testing/software-passkey.js';

const database = testDatabaseWithClock();
const ORIGIN = 'https://mail.example';
const PRESENT_ONLY = 0x01;
let accounts: TestService;
let counted = 0;

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    settings: { baseUrl: ORIGIN },
  });
});
afterAll(() => accounts.stop());
// the clock of the process goes back after each test, that of the database does not
beforeEach(() => database.advance(0));

interface Response {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: any; // eslint-disable-line typescript/no-explicit-any
}

const secretOf = ({ headers }: Response): string =>
  new RegExp(`^${SESSION_COOKIE}=(\\w+);`).exec(String(headers['set-cookie']))?.[1] ?? '';

/** @returns the secret of a session of a new member, who came by a link of an invitation's kind */
async function newMember(): Promise<{ email: string; secret: string }> {
  const email = `owner-${(counted += 1)}@mail.test`;
  await accounts.internal('POST', '/operator/accounts', { name: 'Shop', owner_email: email });
  return { email, secret: await signIn(email) };
}

async function signIn(email: string): Promise<string> {
  const { body } = await accounts.internal('POST', '/operator/sign-in-links', { email });
  const token = String(body.url).split('#')[1];
  return secretOf(await accounts.call('POST', '/public/console/sessions', { body: { token } }));
}

async function known(secret: string): Promise<KnownKey> {
  const hashes = new Pepper(accounts.context.settings.secretKeys)
    .candidates(secret)
    .map((hash) => hash.toString('base64'));
  const { body } = await accounts.internal('POST', '/internal/sessions/lookup', { hashes });
  const [session] = KeyLookupResponse.parse(body).keys;
  if (!session) throw new Error('the session has ended');
  return session;
}

const call = async (secret: string, method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
  accounts.call(method, `/console/api${path}`, {
    principal: (await known(secret)).principal,
    ...(body && { body }),
  });

async function register(secret: string, passkey: SoftwarePasskey, label = 'Laptop'): Promise<Response> {
  const { body } = await call(secret, 'POST', '/passkeys/options');
  return call(secret, 'POST', '/passkeys', { label, credential: passkey.register(body.challenge) });
}

async function registered(): Promise<{
  secret: string;
  email: string;
  passkey: SoftwarePasskey;
  id: string;
}> {
  const member = await newMember();
  const passkey = new SoftwarePasskey(ORIGIN);
  const { status, body } = await register(member.secret, passkey);
  expect(status).toBe(201);
  return { ...member, passkey, id: body.id };
}

const challengeOf = async (): Promise<string> =>
  (await accounts.call('POST', '/public/console/passkey-sign-ins/options')).body.challenge;
const signInWith = (credential: object) =>
  accounts.call('POST', '/public/console/passkey-sign-ins', { body: { credential } });

describe('a passkey', () => {
  it('is registered for the member who is signed in, and signs them in', async () => {
    const { email, secret, passkey, id } = await registered();
    const { body } = await call(secret, 'GET', '/passkeys');
    expect(body.data).toMatchObject([{ id, label: 'Laptop', last_used_at: null }]);
    const signedIn = await signInWith(passkey.assert(await challengeOf()));
    expect(signedIn).toMatchObject({ status: 201, body: { member: { email } } });
    const session = await known(secretOf(signedIn));
    expect(Date.parse(session.confirmed_until ?? '')).toBeGreaterThan(Date.now());
    const sessions = (await call(secret, 'GET', '/sessions')).body.data;
    expect(sessions.map(({ way }: { way: string }) => way)).toEqual(['passkey', 'operator']);
  });

  it.each([
    ['a challenge of another time', async () => 'AAAA', {}],
    ['without verification of the user', challengeOf, { flags: PRESENT_ONLY }],
  ])('is not accepted with %s', async (_, challenge, options) => {
    const { passkey } = await registered();
    const refused = await signInWith(passkey.assert(await challenge(), options));
    expect([refused.status, refused.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('answers a challenge once, and within five minutes', async () => {
    const { passkey } = await registered();
    const challenge = await challengeOf();
    expect((await signInWith(passkey.assert(challenge))).status).toBe(201);
    expect((await signInWith(passkey.assert(challenge))).status).toBe(401);
    const late = await challengeOf();
    await database.advance(301_000);
    expect((await signInWith(passkey.assert(late))).status).toBe(401);
  });

  it('is of one origin: a page that imitates ours gets nothing', async () => {
    const { secret } = await newMember();
    const { body } = await call(secret, 'POST', '/passkeys/options');
    for (const evil of [
      new SoftwarePasskey('https://mail.example.evil.test'),
      new SoftwarePasskey('https://evil.test', 'mail.example'),
    ]) {
      const credential = evil.register(body.challenge);
      expect((await call(secret, 'POST', '/passkeys', { label: 'x', credential })).status).toBe(401);
    }
  });

  it('is not accepted from a copy whose counter is behind', async () => {
    const { passkey } = await registered();
    passkey.counter = 5;
    expect((await signInWith(passkey.assert(await challengeOf()))).status).toBe(201);
    passkey.counter = 3;
    expect((await signInWith(passkey.assert(await challengeOf()))).status).toBe(401);
  });

  it('is not accepted when it is unknown, of another key pair, or removed', async () => {
    const { secret, passkey, id } = await registered();
    const forged = Object.assign(new SoftwarePasskey(ORIGIN), { id: passkey.id });
    expect((await signInWith(forged.assert(await challengeOf()))).status).toBe(401);
    expect((await signInWith(new SoftwarePasskey(ORIGIN).assert(await challengeOf()))).status).toBe(401);
    expect((await call(secret, 'DELETE', `/passkeys/${id}`)).status).toBe(200);
    expect((await signInWith(passkey.assert(await challengeOf()))).status).toBe(401);
    expect((await known(secret)).confirmed_until).toBeUndefined();
  });

  it('is registered once, by the member to whom the challenge was given', async () => {
    const { secret, passkey, id } = await registered();
    expect((await register(secret, passkey)).status).toBe(409);
    const other = await newMember();
    const { body } = await call(secret, 'POST', '/passkeys/options');
    const credential = new SoftwarePasskey(ORIGIN).register(body.challenge);
    expect((await call(other.secret, 'POST', '/passkeys', { label: 'x', credential })).status).toBe(401);
    expect((await call(other.secret, 'DELETE', `/passkeys/${id}`)).status).toBe(404);
  });
});

describe('a confirmation', () => {
  it('is needed from the first passkey on, and holds for ten minutes', async () => {
    const { secret, passkey } = await registered();
    const left = async () => Date.parse((await known(secret)).confirmed_until ?? '') - Date.now();
    expect(await left()).toBeGreaterThan(500_000);
    await database.advance(601_000);
    expect(await left()).toBeLessThan(0);
    const { body } = await call(secret, 'POST', '/session/confirmation/options');
    expect(body.allowCredentials).toMatchObject([{ transports: ['internal'] }]);
    const confirm = (credential: object) => call(secret, 'POST', '/session/confirmation', { credential });
    // the challenge of a sign-in, or another member's passkey, is none
    expect((await confirm(passkey.assert(await challengeOf()))).status).toBe(401);
    const stranger = await registered();
    expect((await confirm(stranger.passkey.assert(body.challenge))).status).toBe(401);
    expect(await left()).toBeLessThan(0);
    expect((await confirm(passkey.assert(body.challenge))).status).toBe(200);
    expect(await left()).toBeGreaterThan(500_000);
  });

  it('is asked of no member without a passkey', async () => {
    expect((await known((await newMember()).secret)).confirmed_until).toBeUndefined();
  });
});
