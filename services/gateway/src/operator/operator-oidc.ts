import { ApiError } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import {
  FLOW_MS,
  flowOf,
  hashOf,
  isBrowserSecret,
  newBrowser,
  newState,
  OIDC_CALLBACK,
  OidcClient,
  OidcErrors,
  stateOf,
  type Identity,
} from '@postmesh/oidc';
import { operatorOidcOf, type OperatorOidcSettings, type Settings } from '@postmesh/settings';

/** Requests of the operator's pages share their host with those of members, and cookies know no port. */
export const OPERATOR_OIDC_COOKIE = '__Host-postmesh-operator-oidc';

/** Sign-ins that are under way; the page that begins one is open to everyone who reaches the port. */
const MAX_FLOWS = 1_000;
const MAX_PAGE = 500;
/** The name of an operator is sent in a header, and is part of each of their entries in the audit. */
const NAME = /^[\x21-\x7e]{1,64}$/;

const noGroup = (email: string, name: string) =>
  new ApiError(403, `${email} is in no group of ${name} that may operate here`);
const noName = (email: string) =>
  new ApiError(
    403,
    `${email} cannot be the name of an operator: it has more than 64 characters, or others than ASCII`,
  );

interface Begun {
  readonly browser: string;
  readonly page: string | null;
  readonly until: number;
}

/**
 * Sign-ins of operators by the OpenID Connect provider of the settings (decision 130). Flows are kept where the sessions are:
 * in this process, so that they need no part of the installation that may be down.
 */
export class OperatorOidc {
  /** the oldest first */
  private readonly flows = new Map<string, Begun>();
  private port = 0;
  private readonly client: OidcClient;

  private constructor(
    private readonly oidc: OperatorOidcSettings,
    settings: Settings,
    logger: Logger,
  ) {
    this.client = new OidcClient({
      provider: oidc,
      callback: () => new URL((settings.operatorBaseUrl ?? `http://localhost:${this.port}`) + OIDC_CALLBACK),
      outgoingHttpAllow: settings.outgoingHttpAllow,
      logger,
    });
  }

  /** @returns undefined without a provider @throws SettingsError */
  static fromSettings(settings: Settings, logger: Logger): OperatorOidc | undefined {
    const oidc = operatorOidcOf(settings);
    return oidc && new OperatorOidc(oidc, settings, logger);
  }

  /** for the button */
  get name(): string {
    return this.oidc.name;
  }

  /** The port of the pages, which the system may have chosen. */
  listensAt(port: number): void {
    this.port = port;
  }

  /**
   * @param page to which the sign-in leads
   * @param given the secret of a browser in which another sign-in may be under way, in another tab
   * @returns where the browser goes, and its secret
   * @throws ApiError 503
   */
  async begin(page: unknown, given: string | undefined): Promise<{ url: string; browser: string }> {
    const [state, browser] = [newState('sign-in'), newBrowser(given)];
    const now = Date.now();
    this.flows.set(keyOf(state), {
      browser: keyOf(browser),
      page: typeof page === 'string' && page.length <= MAX_PAGE ? page : null,
      until: now + FLOW_MS,
    });
    for (const [key, { until }] of this.flows) {
      if (until > now && this.flows.size <= MAX_FLOWS) break;
      this.flows.delete(key);
    }
    return { url: await this.client.authorizationUrl(flowOf(state, browser)), browser };
  }

  /**
   * Uses a flow up, whatever its response is worth.
   * @param response the query with which the browser came back
   * @returns the name of the operator, and the page that was asked for
   * @throws ApiError 401, 403, 503
   */
  async finish(
    response: string,
    browser: string | undefined,
  ): Promise<{ operator: string; page: string | null }> {
    const state = stateOf(response);
    const key = keyOf(state ?? '');
    const begun = this.flows.get(key);
    if (state === null || !isBrowserSecret(browser) || begun?.browser !== keyOf(browser))
      throw OidcErrors.over();
    this.flows.delete(key);
    if (begun.until <= Date.now()) throw OidcErrors.over();
    const identity = await this.client.identify(response, flowOf(state, browser));
    return { operator: this.operatorOf(identity), page: begun.page };
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** @throws ApiError 403 for a person who may not operate */
  private operatorOf({ email, groups }: Identity): string {
    if (!this.oidc.groups.some((group) => groups.includes(group))) throw noGroup(email, this.name);
    if (!NAME.test(email)) throw noName(email);
    return email;
  }
}

const keyOf = (text: string): string => hashOf(text).toString('base64');
