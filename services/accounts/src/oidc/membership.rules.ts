import { ApiError, type MemberRole } from '@postmesh/contracts';
import type { Identity } from '@postmesh/oidc';
import type { OidcSettings } from '@postmesh/settings';

/** The texts of people whom the provider knows, and who are not let in. */
export const MembershipErrors = {
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

/** The clock of the provider may be behind ours. */
const SKEW_MS = 60_000;

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
