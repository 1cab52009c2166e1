import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCOUNTS_SERVICE } from '@postmesh/accounts';
import { SESSION_COOKIE } from '@postmesh/contracts';
import { GATEWAY_SERVICE, GatewayListeners } from '@postmesh/gateway';
import { startService, type RunningService } from '@postmesh/service-host';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { chromiumPath, freePort, startBrowser, testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// A real browser before a gateway and the accounts service: its cookies, its Origin, its authenticators.

const database = testDatabase();
const email = 'owner@mail.test';
let accounts: TestService;
let gateway: RunningService;
let dataDir: string;
let origin: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'postmesh-browser-'));
  const httpPort = await freePort();
  origin = `http://localhost:${httpPort}`;
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    settings: { dataDir, httpPort, mxPort: 0, submissionPorts: [0] },
    periodic: false,
  });
  await accounts.internal('POST', '/operator/accounts', { name: 'Shop', owner_email: email });
  gateway = await startService(GATEWAY_SERVICE, accounts.context);
  await gateway.get(GatewayListeners).open();
});
afterAll(async () => {
  await gateway?.stop();
  await accounts?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function linkOf(member: string): Promise<string> {
  const { body } = await accounts.internal('POST', '/operator/sign-in-links', { email: member });
  return String(body.url).split('#')[1] ?? '';
}

const chromium = chromiumPath();

describe.skipIf(chromium === undefined)('a browser', () => {
  it('keeps the cookie, and signs in by a passkey of an authenticator', async () => {
    const browser = await startBrowser(chromium as string);
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      // any page of this origin
      await page.goto(`${origin}/docs`);
      const devtools = await context.newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const;
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          ...options,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      const inPage = (method: string, path: string, body?: unknown) =>
        page.evaluate(
          async ([method, path, body]) => {
            const response = await fetch(`/console/api${path}`, {
              method,
              ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body }),
            });
            return { status: response.status, body: await response.json() };
          },
          [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
        );
      const credential = (kind: 'create' | 'get', given: unknown) =>
        page.evaluate(`(async () => {
          const parse = '${kind === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'}';
          const publicKey = PublicKeyCredential[parse](${JSON.stringify(given)});
          return (await navigator.credentials.${kind}({ publicKey })).toJSON();
        })()`);
      const token = await linkOf(email);
      expect((await inPage('POST', '/sessions', { token })).status).toBe(201);
      const cookies = await context.cookies(origin);
      expect(cookies).toMatchObject([
        { name: SESSION_COOKIE, httpOnly: true, secure: true, sameSite: 'Lax' },
      ]);
      const registration = await inPage('POST', '/passkeys/options', {});
      const made = await credential('create', registration.body);
      expect((await inPage('POST', '/passkeys', { label: 'Laptop', credential: made })).status).toBe(201);
      expect((await inPage('DELETE', '/session')).status).toBe(200);
      expect(await context.cookies(origin)).toEqual([]);
      expect((await inPage('GET', '/session')).status).toBe(401);
      const assertion = await credential('get', (await inPage('POST', '/passkey-sign-ins/options', {})).body);
      const signedIn = await inPage('POST', '/passkey-sign-ins', { credential: assertion });
      expect(signedIn).toMatchObject({ status: 201, body: { member: { email } } });
      expect((await inPage('GET', '/session')).body).toMatchObject({ member: { email } });
    } finally {
      await browser.close();
    }
  });
});
