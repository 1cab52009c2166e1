import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Claims of a person in addition to `sub` and `email`, which are the login; `undefined` leaves one out. */
type Claims = Record<string, unknown>;

export interface TestOidcProvider {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** Changes claims of the person with a login; without them: a verified address. */
  know(login: string, claims: Claims): void;
  /** Answers from now on; before, every request gets a 503. */
  open(redirectUri: string): Promise<void>;
  /**
   * Logs in as a browser would that opens the page.
   * @param cookies of a browser that may be logged in already; left out: those of a new one
   * @returns the address to which the browser is sent back
   */
  logIn(url: string, login: string, cookies?: Map<string, string>): Promise<string>;
  /** The paths that were requested, oldest first. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

const MOST_HOPS = 12;
const DAY_S = 86_400;
const SCOPES = 'openid email profile';

/**
 * The provider of npm's `oidc-provider` on a free port of 127.0.0.1; its page takes any password.
 * @param saysLoginTime whether tokens have `auth_time` also where it is not asked for
 */
export async function startOidcProvider({ saysLoginTime = false } = {}): Promise<TestOidcProvider> {
  const people = new Map<string, Claims>();
  const requests: string[] = [];
  let answer: RequestListener = (_, response) => void response.writeHead(503).end();
  let callback = '';
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { id: 'postmesh', secret: randomBytes(32).toString('base64url') };
  return {
    issuer,
    client,
    requests,
    know: (login, claims) => void people.set(login, claims),
    open: async (redirectUri) => {
      callback = redirectUri;
      answer = await providerOf(issuer, { client, redirectUri, saysLoginTime, people });
    },
    logIn: (url, login, cookies = new Map()) => logIn(url, { login, cookies, callback }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface ProviderOptions {
  client: TestOidcProvider['client'];
  redirectUri: string;
  saysLoginTime: boolean;
  people: ReadonlyMap<string, Claims>;
}

async function providerOf(
  issuer: string,
  { client, redirectUri, saysLoginTime, people }: ProviderOptions,
): Promise<RequestListener> {
  const { default: Provider } = await import('oidc-provider');
  const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' });
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] },
        require_auth_time: saysLoginTime,
      },
    ],
    jwks: { keys: [{ ...key, kty: 'RSA', kid: 'one', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    // as most providers do: claims are in the ID token
    conformIdTokenClaims: false,
    ttl: { AccessToken: DAY_S, Grant: DAY_S, IdToken: DAY_S, Interaction: DAY_S, Session: DAY_S },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    findAccount: (_, login) => ({
      accountId: login,
      claims: () => ({ sub: login, email: login, email_verified: true, ...people.get(login) }),
    }),
    // the page of a login alone: consent was given before
    loadExistingGrant: async ({ oidc }) => {
      const { Grant } = oidc.provider;
      const grant = new Grant({ clientId: client.id, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope(SCOPES);
      await grant.save();
      return grant;
    },
  });
  return provider.callback();
}

async function logIn(
  url: string,
  { login, cookies, callback }: { login: string; cookies: Map<string, string>; callback: string },
): Promise<string> {
  let at = url;
  let form: URLSearchParams | undefined;
  for (let hops = 0; hops < MOST_HOPS; hops += 1) {
    const response: Response = await fetch(at, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (location === null && action === undefined) throw new Error(`the provider answers ${page}`);
    form = location === null ? new URLSearchParams({ prompt: 'login', login, password: 'any' }) : undefined;
    at = new URL(location ?? action ?? '', at).href;
    if (at.startsWith(callback)) return at;
  }
  throw new Error(`no end of the login at ${at}`);
}
