import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsRepository } from '../account/accounts.repository.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { AuditLog } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import type { SesCredentialCommand } from './create-ses-credential.js';
import { SesCredentialEntity } from './ses-credential.entity.js';

/** Ends the access key of an API key, if there is one: no gateway accepts it when this resolves. */
@Injectable()
export class DeleteSesCredential {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly audit: AuditLog,
    private readonly keyChanges: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 404 */
  async execute({ principal, keyId, actor }: SesCredentialCommand): Promise<void> {
    const revision = await this.dataSource.transaction(async (tx) => {
      const { id: accountId } = await this.accounts.lock(tx, { id: principal.account_id });
      const { label } = await this.keys.get(accountId, keyId, tx);
      await tx.delete(SesCredentialEntity, { apiKeyId: keyId });
      const entry = { actor, action: 'ses-credential.delete', accountId, subjectId: keyId };
      await this.audit.record(tx, { ...entry, details: { label } });
      return this.keyChanges.record(tx, { keyIds: [keyId] });
    });
    await this.leases.settled(revision);
  }
}
