import { SettingsError, type Settings } from './load.js';
import type { OidcGroup } from './oidc.js';

/** The OpenID Connect provider by which members sign in to the console. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** the label of its button */
  readonly name: string;
  /** in lower case: the provider signs in addresses of these domains, and of no other one */
  readonly domains: readonly string[];
  readonly scopes: string;
  /** whether an address without `email_verified` counts as verified */
  readonly trustsAddresses: boolean;
  readonly groupsClaim: string;
  readonly groups: readonly OidcGroup[];
  /** whether addresses of the domains have no other way in */
  readonly isOnly: boolean;
}

type Given = Pick<
  Settings,
  | 'oidcIssuer'
  | 'oidcClientId'
  | 'oidcClientSecret'
  | 'oidcName'
  | 'oidcDomains'
  | 'oidcOnly'
  | 'oidcScopes'
  | 'oidcTrustEmail'
  | 'oidcGroups'
  | 'oidcGroupsClaim'
>;

/** The missing settings of a provider, one line each: half of one would leave members without a way in. */
function problemsOf(given: Given): string[] {
  const needed = {
    POSTMESH_OIDC_CLIENT_ID: given.oidcClientId,
    POSTMESH_OIDC_CLIENT_SECRET: given.oidcClientSecret,
    POSTMESH_OIDC_DOMAINS: given.oidcDomains.length > 0 ? given.oidcDomains : undefined,
  };
  const more = { POSTMESH_OIDC_GROUPS: given.oidcGroups.length > 0, POSTMESH_OIDC_ONLY: given.oidcOnly };
  if (given.oidcIssuer !== undefined)
    return Object.entries(needed)
      .filter(([, value]) => value === undefined)
      .map(([env]) => `${env}: is needed with POSTMESH_OIDC_ISSUER`);
  const without = Object.entries({ ...needed, ...more }).find(
    ([, value]) => value !== undefined && value !== false,
  );
  return without ? [`POSTMESH_OIDC_ISSUER: is needed with ${without[0]}`] : [];
}

/**
 * @returns undefined when there is no provider
 * @throws SettingsError that names each missing setting
 */
export function oidcOf(given: Given): OidcSettings | undefined {
  const problems = problemsOf(given);
  if (problems.length > 0) throw new SettingsError(`bad settings:\n  ${problems.join('\n  ')}`);
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = given;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret,
    name: given.oidcName,
    domains: given.oidcDomains,
    scopes: given.oidcScopes,
    trustsAddresses: given.oidcTrustEmail,
    groupsClaim: given.oidcGroupsClaim,
    groups: given.oidcGroups,
    isOnly: given.oidcOnly,
  };
}
