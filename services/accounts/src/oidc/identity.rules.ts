import { ApiError, type MemberRole } from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';
import type { OidcSettings } from '@postmesh/settings';

/** A person as the provider knows them, whose address is verified and in one of our domains. */
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
  noMember: (email: string) =>
    new ApiError(
      403,
      `${email} is not a member of an account here: ask an Administrator of yours to add you`,
    ),
  only: (name: string, domain: string) =>
    new ApiError(403, `addresses of ${domain} sign in with ${name} here`),
  otherPerson: (email: string) =>
    new ApiError(403, `you are signed in as ${email}: confirm as the same person`),
  notByIt: (name: string) => new ApiError(403, `this session has not begun with ${name}`),
  notAgain: (name: string) => new ApiError(403, `${name} did not ask you to sign in again`),
} as const;

type Claims = Readonly<Record<string, unknown>>;
type Reading = Pick<OidcSettings, 'name' | 'domains' | 'trustsAddresses' | 'groups' | 'groupsClaim'>;

/** The clock of the provider may be behind ours. */
const SKEW_MS = 60_000;
const MAX_NAME = 255;
const MAX_GROUPS = 5_000;

/** Whether an ID token lacks a claim that the UserInfo endpoint may have (OpenID Connect Core, section 5.4). */
export const isIncomplete = (claims: Claims, { groups, groupsClaim, trustsAddresses }: Reading): boolean =>
  typeof claims['email'] !== 'string' ||
  (claims['email_verified'] === undefined && !trustsAddresses) ||
  (groups.length > 0 && claimAt(claims, groupsClaim) === undefined);

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
  if (!oidc.domains.includes(domainOf(email))) throw OidcErrors.otherDomain(oidc.name, domainOf(email));
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

export interface GroupRole {
  readonly accountId: string;
  readonly role: MemberRole;
  /** it has come from a group before */
  readonly isFromGroup: boolean;
}

export interface GroupChange {
  readonly accountId: string;
  /** undefined: the person is a member no longer */
  readonly role: MemberRole | undefined;
}

/**
 * The changes that make the memberships of a person those of their groups. A group takes over a membership of its account;
 * from then on it ends with the group. Other memberships stay as they are.
 * @param table its first row of an account counts
 * @param now the memberships of the person
 */
export function groupChanges(
  table: OidcSettings['groups'],
  groups: readonly string[],
  now: readonly GroupRole[],
): GroupChange[] {
  const wanted = new Map<string, MemberRole>();
  for (const { group, accountId, role } of table)
    if (groups.includes(group) && !wanted.has(accountId)) wanted.set(accountId, role);
  const isAsWanted = ({ accountId, role, isFromGroup }: GroupRole) =>
    isFromGroup && wanted.get(accountId) === role;
  const kept = new Set(now.filter(isAsWanted).map(({ accountId }) => accountId));
  const gone = now.filter(({ accountId, isFromGroup }) => isFromGroup && !wanted.has(accountId));
  const changes: GroupChange[] = [
    ...[...wanted].map(([accountId, role]) => ({ accountId, role })),
    ...gone.map(({ accountId }) => ({ accountId, role: undefined })),
  ];
  // in one order, so that concurrent sign-ins lock accounts alike
  return changes
    .filter(({ accountId }) => !kept.has(accountId))
    .sort((one, other) => (one.accountId < other.accountId ? -1 : 1));
}

/** How long a login may be ago and still confirm what is done now. */
export function confirmationOf({ loggedInAt }: Identity, now: Date, lastsMs: number): Date | null {
  if (loggedInAt === undefined || loggedInAt.getTime() <= now.getTime() - lastsMs) return null;
  return loggedInAt < now ? loggedInAt : now;
}

/**
 * Whether the person has logged in since. A provider that does not say when (`auth_time`) was asked for a new login, and is
 * believed.
 */
export const isLoggedInSince = ({ loggedInAt }: Identity, since: Date): boolean =>
  loggedInAt === undefined || loggedInAt.getTime() >= since.getTime() - SKEW_MS;
