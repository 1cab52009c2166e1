import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { AccountEntity } from '../database/entities/index.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { AccountChangedPublisher } from './account-changed.publisher.js';
import { AccountsRepository } from './accounts.repository.js';
import { stateChange, type StateAction } from './state-change.rules.js';

export interface StateOrder {
  accountId: string;
  action: StateAction;
  reason: string;
  actor: Actor;
}

/** Suspends, resumes, blocks or unblocks an account; its keys follow on every gateway at once. */
@Injectable()
export class ChangeAccountState {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly published: AccountChangedPublisher,
    private readonly audit: AuditLog,
    private readonly changes: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 404 `account not found` */
  async execute(order: StateOrder): Promise<AccountEntity> {
    const { account, revision } = await this.dataSource.transaction((manager) => this.apply(manager, order));
    await this.leases.settled(revision);
    return account;
  }

  private async apply(manager: EntityManager, order: StateOrder) {
    const { accountId, action, reason, actor } = order;
    const account = await this.accounts.lock(manager, accountId);
    if (!account) throw ApiErrors.notFound('account');
    const now = new Date();
    const change = stateChange(account, action, reason, now);
    // what made it so may have been committed a moment ago
    if (!change) return { account, revision: await this.changes.latest(manager) };
    const changed = { ...account, ...change, revision: account.revision + 1, updatedAt: now };
    await manager.update(AccountEntity, { id: accountId }, changed);
    await this.published.publish(manager, [changed], await this.accounts.parentOf(manager, account));
    const children = await this.tellChildren(manager, changed);
    await this.audit.record(manager, {
      actor,
      action: `account.${action}`,
      accountId,
      subjectId: accountId,
      details: reason === '' ? {} : { reason },
    });
    const accountIds = [accountId, ...children.map((child) => child.id)];
    return { account: changed, revision: await this.changes.record(manager, { accountIds }) };
  }

  /** What befalls a parent befalls its sub-accounts (spec 1-platform §10.4 rule 3). */
  private async tellChildren(manager: EntityManager, parent: AccountEntity): Promise<AccountEntity[]> {
    const children = await this.accounts.lockChildren(manager, parent.id);
    await manager.query('update accounts set revision = revision + 1 where id = any($1::uuid[])', [
      children.map(({ id }) => id),
    ]);
    const changed = children.map((child) => ({ ...child, revision: child.revision + 1 }));
    await this.published.publish(manager, changed, parent);
    return changed;
  }
}
