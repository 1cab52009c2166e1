import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors, type AccountId, type MemberRole, type UserId } from '@postmesh/contracts';
import { AccountsRepository } from '../account/accounts.repository.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { SessionChanges } from '../sessions/session-changes.js';
import { MemberEntity } from './people.js';
import { refuseRemoval, refuseRoleChange } from './member.rules.js';

export interface ChangeMemberCommand {
  accountId: AccountId;
  userId: UserId;
  actor: Actor;
}

/** Changes the roles of members and removes them; the account's owner keeps theirs. Sessions follow at once. */
@Injectable()
export class ChangeMember {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly audit: AuditLog,
    private readonly sessions: SessionChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 404 `member not found`, 403 */
  async changeRole(command: ChangeMemberCommand, role: MemberRole): Promise<MemberEntity> {
    const { changed, revision } = await this.dataSource.transaction(async (manager) => {
      const { member, ownerId } = await this.lock(manager, command);
      refuseRoleChange(member.userId, ownerId);
      const { accountId, userId } = command;
      if (member.role === role) {
        return { changed: member, revision: await this.sessions.reread(manager, { accountId, userId }) };
      }
      const updatedAt = new Date();
      await manager.update(MemberEntity, { accountId, userId }, { role, updatedAt });
      await this.record(manager, command, 'member.update', { role, before: member.role });
      const revision = await this.sessions.reread(manager, { accountId, userId });
      return { changed: { ...member, role, updatedAt }, revision };
    });
    await this.leases.settled(revision);
    return changed;
  }

  /** @throws ApiError 404 `member not found`, 403 */
  async remove(command: ChangeMemberCommand): Promise<void> {
    const { revision } = await this.dataSource.transaction(async (manager) => {
      const { member, ownerId } = await this.lock(manager, command);
      refuseRemoval(member.userId, ownerId, await this.keys.creatorOf(manager, command.actor));
      const { accountId, userId } = command;
      await manager.delete(MemberEntity, { accountId, userId });
      await this.record(manager, command, 'member.remove', { role: member.role });
      return this.sessions.end(manager, { accountId, userId });
    });
    await this.leases.settled(revision);
  }

  /** Locks the account, so that concurrent changes of its members wait. */
  private async lock(manager: EntityManager, { accountId, userId }: ChangeMemberCommand) {
    const account = await this.accounts.lockIfThere(manager, { id: accountId });
    const member = account && (await manager.findOneBy(MemberEntity, { accountId, userId }));
    if (!member) throw ApiErrors.notFound('member');
    return { member, ownerId: account.ownerId };
  }

  private async record(
    manager: EntityManager,
    { accountId, userId, actor }: ChangeMemberCommand,
    action: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    await this.audit.record(manager, { actor, action, accountId, subjectId: userId, details });
  }
}
