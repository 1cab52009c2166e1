import { ApiError } from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';
import type { OidcProviderSettings } from '@postmesh/settings';

/** A person as the provider knows them, whose address is verified, and in one of the domains of the settings. */
export interface Identity {
  /** normalised */
  readonly email: string;
  /** for a new user */
  readonly name: string;
  readonly groups: readonly string[];
  /** the time of their last login at the provider; undefined where it is not said */
  readonly loggedInAt: Date | undefined;
}

/** The texts that people read on the page of the sign-in. */
export const OidcErrors = {
  off: () => new ApiError(404, 'single sign-on is not set up here'),
  away: (name: string) =>
    new ApiError(503, `${name} does not work at the moment: try again later, or use another way to sign in`),
  over: () => new ApiError(401, 'this sign-in has expired or was used already, start again'),
  cancelled: (name: string) => new ApiError(401, `the sign-in at ${name} was not completed`),
  notAccepted: (name: string) =>
    new ApiError(401, `the answer of ${name} was not accepted, start the sign-in again`),
  noAddress: (name: string) => new ApiError(403, `${name} gave no email address of yours`),
  notVerified: (name: string) => new ApiError(403, `${name} has not verified your email address`),
  otherDomain: (name: string, domain: string) =>
    new ApiError(403, `addresses of ${domain} do not sign in with ${name} here`),
  noGroups: (name: string) => new ApiError(403, `${name} did not list your groups: there are too many`),
} as const;

type Claims = Readonly<Record<string, unknown>>;
type Reading = Pick<
  OidcProviderSettings,
  'name' | 'domains' | 'trustsAddresses' | 'readsGroups' | 'groupsClaim'
>;

const MAX_NAME = 255;
const MAX_GROUPS = 5_000;

/** Whether an ID token lacks a claim that the UserInfo endpoint may have (OpenID Connect Core, section 5.4). */
export const isIncomplete = (
  claims: Claims,
  { readsGroups, groupsClaim, trustsAddresses }: Reading,
): boolean =>
  typeof claims['email'] !== 'string' ||
  (claims['email_verified'] === undefined && !trustsAddresses) ||
  (readsGroups && claimAt(claims, groupsClaim) === undefined);

/** The claims of both; an address and its verification are from one of them. */
export function mergedClaims(idToken: Claims, userInfo: Claims): Claims {
  const { email, email_verified } = typeof userInfo['email'] === 'string' ? userInfo : idToken;
  return { ...userInfo, ...idToken, email, email_verified };
}

/**
 * The person of verified claims (OpenID Connect Core, section 5.1).
 * @throws ApiError 403 unless the provider has verified an address of our domains
 */
export function readIdentity(claims: Claims, oidc: Reading): Identity {
  const parsed = typeof claims['email'] === 'string' ? parseEmailAddress(claims['email']) : undefined;
  if (!parsed?.ok) throw OidcErrors.noAddress(oidc.name);
  const { address: email } = parsed.address;
  if (!isVerified(claims['email_verified'], oidc)) throw OidcErrors.notVerified(oidc.name);
  if (oidc.domains && !oidc.domains.includes(domainOf(email)))
    throw OidcErrors.otherDomain(oidc.name, domainOf(email));
  const at = claims['auth_time'];
  return {
    email,
    name: nameOf(claims['name']),
    groups: groupsOf(claims, oidc),
    loggedInAt: typeof at === 'number' && Number.isFinite(at) ? new Date(at * 1_000) : undefined,
  };
}

/** Some providers send booleans as text; one that sends nothing is believed if the operator says so. */
const isVerified = (claim: unknown, { trustsAddresses }: Reading): boolean =>
  claim === undefined ? trustsAddresses : claim === true || claim === 'true';

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

const nameOf = (claim: unknown): string =>
  typeof claim !== 'string'
    ? ''
    : [...claim.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').trim()].slice(0, MAX_NAME).join('');

/** No claim is no group; one that is in another place (OpenID Connect Core, section 5.6.2) is not known. @throws ApiError 403 */
function groupsOf(claims: Claims, { name, groupsClaim }: Reading): string[] {
  const found = claimAt(claims, groupsClaim);
  const elsewhere = claims['_claim_names'];
  if (found === undefined && typeof elsewhere === 'object' && elsewhere !== null && groupsClaim in elsewhere)
    throw OidcErrors.noGroups(name);
  const listed = typeof found === 'string' ? [found] : Array.isArray(found) ? found : [];
  if (listed.length > MAX_GROUPS) throw OidcErrors.noGroups(name);
  return listed.filter((group): group is string => typeof group === 'string');
}

/** A claim by its whole name, which may have dots, else by a path. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((at, part) => {
    const isObject = typeof at === 'object' && at !== null && Object.hasOwn(at, part);
    return isObject ? (at as Claims)[part] : undefined;
  }, claims);
}
