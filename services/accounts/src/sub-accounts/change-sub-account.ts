import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { AccountChangedPublisher } from '../account/account-changed.publisher.js';
import { accountState } from '../account/account-state.rules.js';
import { AccountsRepository } from '../account/accounts.repository.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { AccountEntity } from '../database/entities/index.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import type { SubAccountRow } from './sub-account.resource.js';
import { SubAccountsRepository, type ChildOf } from './sub-accounts.repository.js';

export interface SubAccountChange {
  /** `account.suspend`, … */
  action: string;
  columns: Partial<AccountEntity>;
  details: Record<string, unknown>;
}

/** @returns undefined when the child is so already */
export type SubAccountDecision = (child: AccountEntity, now: Date) => SubAccountChange | undefined;

/** One change of one child at a time; its keys follow on every gateway before it resolves. */
@Injectable()
export class ChangeSubAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly children: SubAccountsRepository,
    private readonly published: AccountChangedPublisher,
    private readonly audit: AuditLog,
    private readonly changes: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 404 `sub account not found`, and what the decision throws */
  async execute(child: ChildOf, actor: Actor, decide: SubAccountDecision): Promise<SubAccountRow> {
    const { row, revision } = await this.dataSource.transaction(async (manager) => {
      const account = await this.accounts.lock(manager, child.childId);
      if (account?.parentAccountId !== child.parentId) throw ApiErrors.notFound('sub account');
      const now = new Date();
      const change = decide(account, now);
      if (change) await this.apply(manager, { ...account, updatedAt: now }, change, actor);
      return {
        row: await this.children.find(manager, child),
        // also where nothing changes: what made it so may have been committed a moment ago
        revision: change
          ? await this.changes.record(manager, { accountIds: [child.childId] })
          : await this.changes.latest(manager),
      };
    });
    await this.leases.settled(revision);
    return row;
  }

  private async apply(
    manager: EntityManager,
    child: AccountEntity,
    { action, columns, details }: SubAccountChange,
    actor: Actor,
  ): Promise<void> {
    const changed = { ...child, ...columns, revision: child.revision + 1 };
    await manager.update(AccountEntity, { id: child.id }, changed);
    const parent = await this.accounts.parentOf(manager, child);
    if (accountState(changed, parent) !== accountState(child, parent)) {
      await this.published.publish(manager, [changed], parent);
    }
    const subject = { accountId: child.id, subjectId: child.id };
    await this.audit.record(manager, { actor, action, ...subject, details });
  }
}
