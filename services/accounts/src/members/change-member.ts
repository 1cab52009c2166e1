import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { AccountsRepository } from '../account/accounts.repository.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import type { MemberEntity } from '../database/entities/index.js';
import type { MemberRole } from './member-roles.js';
import { refuseRemoval, refuseRoleChange } from './member.rules.js';
import { MembersRepository } from './members.repository.js';

export interface MemberOrder {
  accountId: string;
  userId: string;
  actor: Actor;
}

/** Gives members other roles and removes them; the account's owner keeps theirs. */
@Injectable()
export class ChangeMember {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly members: MembersRepository,
    private readonly keys: ApiKeysRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ApiError 404 `member not found`, 403 */
  async changeRole(order: MemberOrder, role: MemberRole): Promise<MemberEntity> {
    return this.dataSource.transaction(async (manager) => {
      const { member, ownerId } = await this.take(manager, order);
      refuseRoleChange(member.userId, ownerId);
      if (member.role === role) return member;
      const changed = { ...member, role, updatedAt: new Date() };
      await this.members.changeRole(manager, changed);
      await this.record(manager, order, 'member.update', { role, before: member.role });
      return changed;
    });
  }

  /** @throws ApiError 404 `member not found`, 403 */
  async remove(order: MemberOrder): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const { member, ownerId } = await this.take(manager, order);
      refuseRemoval(member.userId, ownerId, await this.keys.creatorOf(manager, order.actor));
      await this.members.remove(manager, member);
      await this.record(manager, order, 'member.remove', { role: member.role });
    });
  }

  /** With the account held, so that nobody else changes its members meanwhile. */
  private async take(manager: EntityManager, { accountId, userId }: MemberOrder) {
    const account = await this.accounts.lock(manager, accountId);
    const member = account && (await this.members.find(manager, accountId, userId));
    if (!member) throw ApiErrors.notFound('member');
    return { member, ownerId: account.ownerId };
  }

  private async record(
    manager: EntityManager,
    { accountId, userId, actor }: MemberOrder,
    action: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    await this.audit.record(manager, { actor, action, accountId, subjectId: userId, details });
  }
}
