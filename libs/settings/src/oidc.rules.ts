import { SettingsError, type Settings } from './load.js';
import type { OidcGroup } from './oidc.js';

/** An OpenID Connect provider, and what is read of its claims. */
export interface OidcProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** the label of its button */
  readonly name: string;
  /** in lower case: the provider signs in addresses of these domains, and of no other one; undefined: of each domain */
  readonly domains: readonly string[] | undefined;
  readonly scopes: string;
  /** whether an address without `email_verified` counts as verified */
  readonly trustsAddresses: boolean;
  readonly groupsClaim: string;
  /** whether groups decide something */
  readonly readsGroups: boolean;
}

/** The provider by which members sign in to the console. */
export interface OidcSettings extends OidcProviderSettings {
  readonly domains: readonly string[];
  readonly groups: readonly OidcGroup[];
  /** whether addresses of the domains have no other way in */
  readonly isOnly: boolean;
}

/** The provider by which operators sign in to their pages. */
export interface OperatorOidcSettings extends OidcProviderSettings {
  /** the people in one of them may operate */
  readonly groups: readonly string[];
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

/**
 * @returns undefined when there is no provider
 * @throws SettingsError that names each missing setting
 */
export function oidcOf(given: Given): OidcSettings | undefined {
  const { oidcDomains: domains, oidcGroups: groups, oidcOnly: isOnly } = given;
  const client = clientOf(
    'POSTMESH_OIDC',
    { issuer: given.oidcIssuer, clientId: given.oidcClientId, clientSecret: given.oidcClientSecret },
    { needs: { DOMAINS: domains.length > 0 }, takes: { GROUPS: groups.length > 0, ONLY: isOnly } },
  );
  return (
    client && {
      ...client,
      name: given.oidcName,
      domains,
      scopes: given.oidcScopes,
      trustsAddresses: given.oidcTrustEmail,
      groupsClaim: given.oidcGroupsClaim,
      readsGroups: groups.length > 0,
      groups,
      isOnly,
    }
  );
}

type GivenForOperators = Pick<
  Settings,
  | 'operatorOidcIssuer'
  | 'operatorOidcClientId'
  | 'operatorOidcClientSecret'
  | 'operatorOidcName'
  | 'operatorOidcGroups'
  | 'operatorOidcGroupsClaim'
  | 'operatorOidcScopes'
  | 'operatorOidcTrustEmail'
>;

/**
 * @returns undefined when there is no provider
 * @throws SettingsError that names each missing setting
 */
export function operatorOidcOf(given: GivenForOperators): OperatorOidcSettings | undefined {
  const { operatorOidcGroups: groups } = given;
  const client = clientOf(
    'POSTMESH_OPERATOR_OIDC',
    {
      issuer: given.operatorOidcIssuer,
      clientId: given.operatorOidcClientId,
      clientSecret: given.operatorOidcClientSecret,
    },
    { needs: { GROUPS: groups.length > 0 }, takes: {} },
  );
  return (
    client && {
      ...client,
      name: given.operatorOidcName,
      domains: undefined,
      scopes: given.operatorOidcScopes,
      trustsAddresses: given.operatorOidcTrustEmail,
      groupsClaim: given.operatorOidcGroupsClaim,
      readsGroups: true,
      groups,
    }
  );
}

type Client = Pick<OidcProviderSettings, 'issuer' | 'clientId' | 'clientSecret'>;

/**
 * A provider is given as a whole: half of one would leave people without a way in.
 * @param rest settings by the end of their name, and whether they are given
 */
function clientOf(
  prefix: string,
  { issuer, clientId, clientSecret }: { [K in keyof Client]: Client[K] | undefined },
  rest: { needs: Record<string, boolean>; takes: Record<string, boolean> },
): Client | undefined {
  const needs = {
    CLIENT_ID: clientId !== undefined,
    CLIENT_SECRET: clientSecret !== undefined,
    ...rest.needs,
  };
  const missing = Object.entries(needs).filter(([, isGiven]) => !isGiven);
  if (issuer !== undefined && missing.length > 0)
    throw bad(missing.map(([end]) => `${prefix}_${end}: is needed with ${prefix}_ISSUER`));
  const [without] = Object.entries({ ...needs, ...rest.takes }).find(([, isGiven]) => isGiven) ?? [];
  if (issuer === undefined && without !== undefined)
    throw bad([`${prefix}_ISSUER: is needed with ${prefix}_${without}`]);
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret };
}

const bad = (problems: readonly string[]) => new SettingsError(`bad settings:\n  ${problems.join('\n  ')}`);
