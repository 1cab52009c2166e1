import { SCOPE_FAMILIES, STATIC_SCOPES, WILDCARD_SCOPE } from './scopes.js';
import type { MemberRole } from './member-role.js';
import type { Principal } from './principal.js';

export interface RoleRights {
  readonly summary: string;
  /** in the form in which keys are granted them */
  readonly scopes: readonly string[];
  /** whether content of messages may be read: bodies, headers, attachments */
  readonly contents: boolean;
}

const FAMILIES = SCOPE_FAMILIES.map((family) => `${family}:all`);
const READING = [
  ...STATIC_SCOPES.filter((scope) => scope.endsWith(':read')),
  'sub-accounts:usage',
  ...SCOPE_FAMILIES.filter((family) => family.endsWith(':read')).map((family) => `${family}:all`),
];
/** Members, and what is billed. */
const isOfAdministrators = (scope: string) =>
  scope.startsWith('accounts:members:') || scope === 'accounts:billing';

/** The one table of roles to rights: for principals of sessions, and for readers in the console. */
export const ROLES: Readonly<Record<MemberRole, RoleRights>> = {
  Administrator: {
    summary: 'Everything, with members, sign-in and the audit.',
    scopes: [WILDCARD_SCOPE],
    contents: true,
  },
  Developer: {
    summary: 'Everything but members and billing.',
    scopes: [...STATIC_SCOPES.filter((scope) => !isOfAdministrators(scope)), ...FAMILIES],
    contents: true,
  },
  Analyst: {
    summary: 'Reads everything but the content of messages, and changes nothing.',
    scopes: READING,
    contents: false,
  },
  'Billing Manager': {
    summary: 'Reads the account and its usage, and manages billing.',
    scopes: ['accounts:read', 'accounts:billing', 'sub-accounts:read', 'sub-accounts:usage'],
    contents: false,
  },
};

/** Content of messages is closed to some roles; a key that may read messages reads their content, too. */
export const mayReadContents = ({ member }: Pick<Principal, 'member'>): boolean =>
  member === undefined || ROLES[member.role].contents;

/** Whether a holder has every right that a scope in its granted form gives. */
export function coversScope(holder: { readonly scopes: readonly string[] }, scope: string): boolean {
  if (holder.scopes.includes(WILDCARD_SCOPE) || holder.scopes.includes(scope)) return true;
  const family = SCOPE_FAMILIES.find((one) => scope.startsWith(`${one}:`));
  return family !== undefined && holder.scopes.includes(`${family}:all`);
}
