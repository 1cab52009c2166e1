import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { AccountsRepository } from '../account/accounts.repository.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { AccountEntity } from '../database/entities/index.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { limitsChange, type LimitsChange } from './limits-change.rules.js';
import type { OperatorUpdateAccountBody } from './operator.schema.js';

export interface LimitsOrder {
  accountId: string;
  wish: OperatorUpdateAccountBody;
  actor: Actor;
}

/** Flags and limits of an account; the next request on any gateway meets them, its sub-accounts' too. */
@Injectable()
export class ChangeAccountLimits {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly audit: AuditLog,
    private readonly changes: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 400, 404 `account not found` */
  async execute(order: LimitsOrder): Promise<void> {
    const revision = await this.dataSource.transaction((manager) => this.apply(manager, order));
    await this.leases.settled(revision);
  }

  private async apply(manager: EntityManager, order: LimitsOrder): Promise<number> {
    const { accountId, wish, actor } = order;
    const account = await this.accounts.lock(manager, accountId);
    if (!account) throw ApiErrors.notFound('account');
    const change = limitsChange(account, wish);
    // what made it so may have been committed a moment ago
    if (!change) return this.changes.latest(manager);
    const { columns, before, after } = change;
    await manager.update(
      AccountEntity,
      { id: accountId },
      { ...columns, revision: account.revision + 1, updatedAt: new Date() },
    );
    await this.audit.record(manager, {
      actor,
      action: 'account.update',
      accountId,
      subjectId: accountId,
      details: { before, after },
    });
    const accountIds = await this.concerned(manager, accountId, change);
    return accountIds.length === 0
      ? this.changes.latest(manager)
      : this.changes.record(manager, { accountIds });
  }

  private async concerned(
    manager: EntityManager,
    accountId: string,
    { concerns }: LimitsChange,
  ): Promise<string[]> {
    if (concerns === 'nobody') return [];
    if (concerns === 'itself') return [accountId];
    const children = await this.accounts.childrenOf(manager, accountId);
    return [accountId, ...children.map(({ id }) => id)];
  }
}
