import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
  type ClientAuth,
  type Configuration,
  type CustomFetchOptions,
} from 'openid-client';
import { SingleFlight } from '@postmesh/concurrency';
import { ApiError } from '@postmesh/contracts';
import { OutgoingHttp } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import type { OidcProviderSettings, Settings } from '@postmesh/settings';
import type { Flow } from './flow.rules.js';
import { isIncomplete, mergedClaims, OidcErrors, readIdentity, type Identity } from './identity.rules.js';

/** The page to which a provider sends the browser back. */
export const OIDC_CALLBACK = '/console/sign-in/oidc';
/** One call; a sign-in takes up to four, and the gateway waits 30 s. */
const CALL_MS = 5_000;
const MAX_RESPONSE_BYTES = 1_048_576;
const CONNECTIONS = 8;
/** The provider's endpoints and keys are read anew after so long. A new key is found before. */
const KEPT_MS = 3_600_000;

/** A page that asks for a login. Google refuses `login`, and shows at least a page with this. */
const PROMPTS: Readonly<Record<string, string>> = { 'https://accounts.google.com': 'select_account' };

/** No answer, or one that says nothing about the person: a later try may succeed. */
const AWAY = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
]);

class NoResponse extends Error {}

export interface AskedAgain {
  /** whom the provider shall ask */
  readonly email: string;
}

export interface OidcClientOptions {
  /** undefined: there is no provider, and every request gets a 404 */
  readonly provider: OidcProviderSettings | undefined;
  /** the address of the page to which the provider sends the browser back */
  readonly callback: () => URL;
  readonly outgoingHttpAllow: Settings['outgoingHttpAllow'];
  readonly logger: Logger;
}

/**
 * An OpenID Connect provider, as a relying party sees it (OpenID Connect Core, code flow with PKCE S256).
 * Its calls obey the rule of all outgoing HTTP, are bounded in time and size, and follow no redirect: they carry secrets.
 */
export class OidcClient {
  private readonly http: OutgoingHttp;
  private readonly discoveries = new SingleFlight<string, Configuration>();
  private known: { config: Configuration; until: number } | undefined;

  constructor(private readonly options: OidcClientOptions) {
    this.http = new OutgoingHttp({
      allow: options.outgoingHttpAllow,
      // the resolvers of the settings are for mail, and may know the domains of a test internet alone
      dnsServers: [],
      connectionsPerOrigin: CONNECTIONS,
    });
  }

  /** for texts */
  get name(): string {
    return this.options.provider?.name ?? 'single sign-on';
  }

  close(): Promise<void> {
    return this.http.close();
  }

  /** @throws ApiError 404 when there is none, 503 when it does not answer */
  async authorizationUrl({ state, nonce, verifier }: Flow, again?: AskedAgain): Promise<string> {
    const oidc = this.settings();
    const config = await this.discovered(oidc);
    const prompt = PROMPTS[oidc.issuer] ?? 'login';
    return buildAuthorizationUrl(config, {
      redirect_uri: this.options.callback().href,
      scope: oidc.scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(again && { prompt, max_age: '0', login_hint: again.email }),
    }).href;
  }

  /**
   * Exchanges the code of a response for verified claims: state, issuer, nonce, audience, signature and times are checked.
   * @param response the query with which the browser came back
   * @throws ApiError 401, 403, 503
   */
  async identify(response: string, { state, nonce, verifier }: Flow): Promise<Identity> {
    const oidc = this.settings();
    const config = await this.discovered(oidc);
    try {
      const url = this.options.callback();
      url.search = response;
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await authorizationCodeGrant(config, url, { ...checks, idTokenExpected: true });
      const claims = { ...tokens.claims() };
      const hasMore = isIncomplete(claims, oidc) && config.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasMore ? await fetchUserInfo(config, tokens.access_token, String(claims['sub'])) : {};
      return readIdentity(mergedClaims(claims, { ...more }), oidc);
    } catch (error) {
      throw this.toApiError(error, oidc);
    }
  }

  private settings(): OidcProviderSettings {
    if (!this.options.provider) throw OidcErrors.off();
    return this.options.provider;
  }

  private async discovered(oidc: OidcProviderSettings): Promise<Configuration> {
    if (this.known && this.known.until > Date.now()) return this.known.config;
    try {
      const config = await this.discoveries.run(oidc.issuer, () => this.discover(oidc));
      this.known = { config, until: Date.now() + KEPT_MS };
      return config;
    } catch (error) {
      this.options.logger.warn(
        { event: 'oidc.provider_away', issuer: oidc.issuer, ...reasonOf(error) },
        'reading the configuration of the OpenID Connect provider failed, the next sign-in tries again',
      );
      // what was read before may still be right
      if (this.known) return this.known.config;
      throw OidcErrors.away(oidc.name);
    }
  }

  private async discover({ issuer, clientId, clientSecret }: OidcProviderSettings): Promise<Configuration> {
    const server = new URL(issuer);
    const config = await discovery(server, clientId, undefined, authenticationBy(clientSecret), {
      [customFetch]: (url, options) => this.fetch(url, options),
      timeout: CALL_MS / 1_000,
      execute: [enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [allowInsecureRequests] : [])],
    });
    // the library accepts an issuer of all tenants of Entra ID, each of which may write any address
    const found = config.serverMetadata().issuer;
    if (new URL(found).href !== server.href) throw new Error(`the provider calls itself ${found}`);
    return config;
  }

  private async fetch(url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> {
    const answer = await this.http.fetch({
      url: new URL(url),
      headers,
      timeoutMs: CALL_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      ...(method === 'POST' && { body: Buffer.from(String(body ?? '')) }),
    });
    if (answer.kind === 'failed') throw new NoResponse(`${answer.trouble} (${answer.code})`);
    return new Response(answer.body.length === 0 ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: { 'content-type': answer.contentType },
    });
  }

  /** The text for the page; the reason is for the operator. */
  private toApiError(error: unknown, { name }: OidcProviderSettings): ApiError {
    if (error instanceof ApiError) return error;
    const reason = reasonOf(error);
    this.options.logger.warn(
      { event: 'oidc.refused', ...reason },
      'a sign-in by OpenID Connect failed, its page says so',
    );
    if (error instanceof AuthorizationResponseError) return OidcErrors.cancelled(name);
    const isOurs = error instanceof ResponseBodyError && error.error !== 'invalid_grant';
    return isOurs || AWAY.has(reason.code) || causeOf(error) instanceof NoResponse
      ? OidcErrors.away(name)
      : OidcErrors.notAccepted(name);
  }
}

/** By the body where the provider takes that: some read the encoding of a Basic header in their own way (RFC 6749 §2.3.1). */
function authenticationBy(secret: string): ClientAuth {
  const [post, basic] = [ClientSecretPost(secret), ClientSecretBasic(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_post') ? post : basic)(server, ...rest);
  };
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error;
}

/** For the log: codes and texts of the library, no token, and no claim. */
function reasonOf(error: unknown): { code: string; reason: string } {
  const cause = causeOf(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError)
    return { code, reason: error.error };
  if (cause instanceof NoResponse) return { code: 'no-response', reason: cause.message };
  return { code, reason: error instanceof Error ? error.message : String(error) };
}
