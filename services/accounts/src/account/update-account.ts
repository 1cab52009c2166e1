import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { AccountEntity } from '../database/entities/index.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import type { UpdateAccountBody } from './account.schema.js';
import { AccountsRepository } from './accounts.repository.js';
import { accountUpdate } from './update-account.rules.js';

export interface UpdateAccountOrder {
  accountId: string;
  input: UpdateAccountBody;
  actor: Actor;
}

/** Changes what an account says of itself and its defaults; the next request anywhere meets them. */
@Injectable()
export class UpdateAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly audit: AuditLog,
    private readonly changes: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /**
   * @returns the account after the update
   * @throws ApiError 400, 404 `account not found`
   */
  async execute(order: UpdateAccountOrder): Promise<AccountEntity> {
    const { account, keyRevision } = await this.dataSource.transaction((manager) =>
      this.apply(manager, order),
    );
    if (keyRevision !== undefined) await this.leases.settled(keyRevision);
    return account;
  }

  private async apply(manager: EntityManager, { accountId, input, actor }: UpdateAccountOrder) {
    const account = await this.accounts.lock(manager, accountId);
    if (!account) throw ApiErrors.notFound('account');
    const update = accountUpdate(account, input);
    if (!update) return { account, keyRevision: undefined };
    const change = { ...update.columns, revision: account.revision + 1, updatedAt: new Date() };
    await manager.update(AccountEntity, { id: accountId }, change);
    await this.audit.record(manager, {
      actor,
      action: 'account.update',
      accountId,
      subjectId: accountId,
      details: update.fields,
    });
    const keyRevision = update.changesFacts
      ? await this.changes.record(manager, { accountIds: [accountId] })
      : undefined;
    return { account: { ...account, ...change }, keyRevision };
  }
}
