import { Injectable, type PipeTransform } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, SessionId, type Principal } from '@postmesh/contracts';
import type { ApiCall } from '@postmesh/service-host';
import { UserEntity } from '../members/people.js';
import { membershipIn, membershipsOf } from './memberships.js';
import { SessionEntity } from './session.entity.js';
import { sessionResource, type SessionResource } from './session.schema.js';

/** The principal of a member. Operations of the console have no other callers (AuthenticationGuard). */
export type MemberPrincipal = Principal & { readonly member: NonNullable<Principal['member']> };

/** `@Call(byMember) principal`: the member who is signed in. */
export const byMember: PipeTransform<ApiCall, MemberPrincipal> = {
  transform: ({ principal: { member, ...rest } }) => {
    if (!member) throw ApiErrors.noSession();
    return { ...rest, member };
  },
};

export const sessionIdOf = ({ key_id }: MemberPrincipal): SessionId => SessionId.parse(key_id);

/** Everything that the console shows about the member who is signed in. */
@Injectable()
export class ShowSession {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws ApiError 401 when the session has ended meanwhile */
  async execute(principal: MemberPrincipal): Promise<SessionResource> {
    const { manager } = this.dataSource;
    const userId = principal.member.user_id;
    const [session, user, accounts] = await Promise.all([
      manager.findOneBy(SessionEntity, { id: sessionIdOf(principal), userId }),
      manager.findOneBy(UserEntity, { id: userId }),
      membershipsOf(manager, userId),
    ]);
    const current = session && (await membershipIn(manager, userId, session.accountId));
    if (!session || !user || !current) throw ApiErrors.noSession();
    return sessionResource({ session, user, accounts, current, status: principal.account.status });
  }
}
