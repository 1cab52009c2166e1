import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { AccountsRepository } from '../account/accounts.repository.js';
import type { Actor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { ApiKeyDeeds } from './api-key-deeds.js';
import { apiKeyResource } from './api-key.resource.js';
import { ApiKeysRepository } from './api-keys.repository.js';

export interface DeleteApiKeyOrder {
  accountId: string;
  /** what it is called when it is not there */
  ownerIs?: 'account' | 'sub account';
  keyId: string;
  actor: Actor;
}

/** Deletes a key; no gateway accepts it any more when it resolves. */
@Injectable()
export class DeleteApiKey {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly deeds: ApiKeyDeeds,
    private readonly changes: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 404 */
  async execute(order: DeleteApiKeyOrder): Promise<{ label: string }> {
    const { accountId, ownerIs = 'account', keyId, actor } = order;
    const { label, revision } = await this.dataSource.transaction(async (manager) => {
      if (!(await this.accounts.lock(manager, accountId))) throw ApiErrors.notFound(ownerIs);
      const key = await this.keys.find(manager, accountId, keyId);
      if (!key) throw ApiErrors.notFound('api key');
      await this.keys.delete(manager, keyId);
      await this.deeds.deleted(manager, actor, apiKeyResource(key));
      return { label: key.label, revision: await this.changes.record(manager, { keyIds: [keyId] }) };
    });
    await this.leases.settled(revision);
    return { label };
  }
}
