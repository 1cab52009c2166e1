import { z } from 'zod';
import { AccountFacts, AccountId, listOf, MEMBER_ROLES, ROLES, Timestamp } from '@postmesh/contracts';
import type { UserEntity } from '../members/people.js';
import type { Membership } from './memberships.js';
import type { SessionEntity } from './session.entity.js';
import { deviceOf, endOf } from './session.rules.js';

const roles = z.array(z.enum(MEMBER_ROLES));

const MemberAccount = z
  .object({
    id: z.uuid(),
    name: z.string(),
    parent_account_id: z.uuid().nullable(),
    roles,
  })
  .meta({ id: 'MemberAccount', description: 'An account that the member may enter.' });

export const SessionResource = z
  .object({
    id: z.uuid(),
    member: z.object({ user_id: z.uuid(), email: z.string(), name: z.string() }),
    account: z.object({
      id: z.uuid(),
      name: z.string(),
      parent_account_id: z.uuid().nullable(),
      status: AccountFacts.shape.status,
    }),
    accounts: z.array(MemberAccount).meta({ description: 'Top-level accounts first; up to 1,000.' }),
    roles,
    scopes: z.array(z.string()).meta({ description: 'The scopes of the roles, in the form that keys have.' }),
    contents: z.boolean().meta({ description: 'Whether the roles allow to read the content of messages.' }),
    created_at: Timestamp,
    expires_at: Timestamp.meta({ description: 'Its end when it is not used until then.' }),
  })
  .meta({ id: 'Session', description: 'The member who is signed in, and the account they work in.' });
export type SessionResource = z.infer<typeof SessionResource>;

export const OpenSession = z
  .object({
    id: z.uuid(),
    current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
    device: z.string().meta({ description: 'The `User-Agent` of the sign-in.' }),
    client_ip: z.string(),
    way: z.enum(['link', 'invitation', 'operator', 'passkey', 'oidc']),
    created_at: Timestamp,
    last_used_at: Timestamp.meta({ description: 'Exact to five minutes.' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'OpenSession', description: 'One browser in which the member is signed in.' });
export type OpenSession = z.infer<typeof OpenSession>;
export const OpenSessionList = listOf(OpenSession);

export const SwitchAccountBody = z.object({ account_id: AccountId });
export type SwitchAccountBody = z.infer<typeof SwitchAccountBody>;

const RoleResource = z
  .object({
    role: z.enum(MEMBER_ROLES),
    summary: z.string(),
    scopes: z.array(z.string()),
    contents: z.boolean().meta({ description: 'Whether content of messages may be read.' }),
  })
  .meta({ id: 'Role', description: 'What members with a role may do.' });
export const RoleList = listOf(RoleResource);

export const roleList = (): z.infer<typeof RoleList> => ({
  object: 'list',
  data: MEMBER_ROLES.map((role) => ({ role, ...ROLES[role], scopes: [...ROLES[role].scopes] })),
});

export interface SessionParts {
  session: SessionEntity;
  user: UserEntity;
  accounts: readonly Membership[];
  /** the chosen one, which may be beyond the listed ones */
  current: Membership;
  status: AccountFacts['status'];
}

export function sessionResource(parts: SessionParts): SessionResource {
  const { session, user, accounts, current, status } = parts;
  const { scopes, contents } = ROLES[current.role];
  return {
    id: session.id,
    member: { user_id: user.id, email: user.email, name: user.name },
    account: { id: current.id, name: current.name, parent_account_id: current.parentAccountId, status },
    accounts: accounts.map(({ id, name, parentAccountId, role }) => ({
      id,
      name,
      parent_account_id: parentAccountId,
      roles: [role],
    })),
    roles: [current.role],
    scopes: [...scopes],
    contents,
    created_at: session.createdAt.toISOString(),
    expires_at: endOf(session).toISOString(),
  };
}

export const openSession = (session: SessionEntity, currentId: string): OpenSession => ({
  id: session.id,
  current: session.id === currentId,
  device: deviceOf(session.userAgent),
  client_ip: session.clientIp,
  way: session.way,
  created_at: session.createdAt.toISOString(),
  last_used_at: session.lastUsedAt.toISOString(),
  expires_at: endOf(session).toISOString(),
});
