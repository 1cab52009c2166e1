import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ApiKeyId } from '@postmesh/contracts';
import { type AccountRef, AccountsRepository } from '../account/accounts.repository.js';
import type { Actor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { ApiKeyAudit } from './api-key-audit.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeysRepository } from './api-keys.repository.js';

export interface DeleteApiKeyCommand {
  owner: AccountRef;
  keyId: ApiKeyId;
  actor: Actor;
}

/** Deletes a key; no gateway accepts it when this resolves. */
@Injectable()
export class DeleteApiKey {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly audit: ApiKeyAudit,
    private readonly keyChanges: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 404 */
  async execute({ owner, keyId, actor }: DeleteApiKeyCommand): Promise<ApiKeyEntity> {
    const { key, revision } = await this.dataSource.transaction(async (manager) => {
      const account = await this.accounts.lock(manager, owner);
      const key = await this.keys.get(account.id, keyId, manager);
      await this.keys.delete(manager, keyId);
      await this.audit.deleted(manager, actor, key);
      return { key, revision: await this.keyChanges.record(manager, { keyIds: [keyId] }) };
    });
    await this.leases.settled(revision);
    return key;
  }
}
