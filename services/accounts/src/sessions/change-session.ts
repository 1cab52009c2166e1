import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, type AccountId, type SessionId } from '@postmesh/contracts';
import { AuditLog } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { membershipIn } from './memberships.js';
import { SessionChanges } from './session-changes.js';
import { SessionEntity } from './session.entity.js';
import { sessionIdOf, type MemberPrincipal } from './show-session.js';

/** Ends sessions of a member, or moves one to another account. Every gateway has applied it when it resolves. */
@Injectable()
export class ChangeSession {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: SessionChanges,
    private readonly keyChanges: KeyChanges,
    private readonly leases: CacheLeases,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ApiError 404 for an account that the member may not enter, 401 when the session has ended */
  async switchAccount(principal: MemberPrincipal, accountId: AccountId): Promise<void> {
    const id = sessionIdOf(principal);
    const userId = principal.member.user_id;
    const revision = await this.dataSource.transaction(async (manager) => {
      if (!(await membershipIn(manager, userId, accountId))) throw ApiErrors.notFound('account');
      const { affected } = await manager.update(SessionEntity, { id, userId }, { accountId });
      if (affected !== 1) throw ApiErrors.noSession();
      return this.keyChanges.record(manager, { keyIds: [id] });
    });
    await this.leases.settled(revision);
  }

  /**
   * @param id undefined: all sessions of the member
   * @throws ApiError 404 for a session that is none of the member's
   */
  async end({ member, account_id: accountId }: MemberPrincipal, id?: SessionId): Promise<void> {
    const { user_id: userId } = member;
    const revision = await this.dataSource.transaction(async (manager) => {
      const actor = { kind: 'member', id: userId } as const;
      const action = id === undefined ? 'session.end-all' : 'session.end';
      await this.audit.record(manager, { actor, action, accountId, subjectId: id ?? userId });
      const { revision, ended } = await this.changes.end(manager, { userId }, id);
      if (ended === 0 && id !== undefined) throw ApiErrors.notFound('session');
      return revision;
    });
    await this.leases.settled(revision);
  }
}
