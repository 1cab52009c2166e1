import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { AccountEntity } from '../database/entities/index.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { AccountChangedPublisher } from './account-changed.publisher.js';
import { AccountsRepository } from './accounts.repository.js';

export interface Deletion {
  actor: Actor;
  /** why, in the words of who deletes; `''` when nobody asked */
  reason: string;
}

/**
 * Deletes an account softly, and its sub-accounts with it (spec 1-platform §10.4 rule 5): their keys are
 * refused from then on, and the other services end what they hold of them when they hear of it.
 */
@Injectable()
export class DeleteAccount {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly published: AccountChangedPublisher,
    private readonly audit: AuditLog,
    private readonly changes: KeyChanges,
  ) {}

  /**
   * To be called last in a transaction that holds the account.
   * @returns the revision to wait for with `CacheLeases.settled` after the commit
   */
  async apply(manager: EntityManager, account: AccountEntity, deletion: Deletion): Promise<number> {
    const now = new Date();
    const parent = await this.accounts.parentOf(manager, account);
    const change = { deletedAt: now, updatedAt: now, revision: account.revision + 1 };
    const deleted = { ...account, ...change };
    await manager.update(AccountEntity, { id: account.id }, change);
    const children = await this.deleteChildren(manager, account.id, now);
    await this.published.publish(manager, [deleted], parent);
    await this.published.publish(manager, children, deleted);
    await this.audit.recordAll(
      manager,
      [deleted, ...children].map(({ id }) => ({
        actor: deletion.actor,
        action: 'account.delete',
        accountId: id,
        subjectId: id,
        details: {
          ...(deletion.reason === '' ? {} : { reason: deletion.reason }),
          ...(id === account.id ? {} : { with_parent: account.id }),
        },
      })),
    );
    return this.changes.record(manager, { accountIds: [account.id, ...children.map(({ id }) => id)] });
  }

  private async deleteChildren(
    manager: EntityManager,
    parentId: string,
    now: Date,
  ): Promise<AccountEntity[]> {
    const children = await this.accounts.lockChildren(manager, parentId);
    await manager.query(
      `update accounts set deleted_at = $2, updated_at = $2, revision = revision + 1
       where id = any($1::uuid[])`,
      [children.map(({ id }) => id), now],
    );
    return children.map((child) => ({
      ...child,
      deletedAt: now,
      updatedAt: now,
      revision: child.revision + 1,
    }));
  }
}
