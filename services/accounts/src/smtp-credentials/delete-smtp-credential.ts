import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal, SmtpCredentialId } from '@postmesh/contracts';
import { AccountsRepository } from '../account/accounts.repository.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { requireTouch } from './smtp-credential.rules.js';
import { domainNames } from './smtp-credential.schema.js';
import { SmtpCredentialsRepository } from './smtp-credentials.repository.js';

export interface DeleteSmtpCredentialCommand {
  principal: Principal;
  id: SmtpCredentialId;
  actor: Actor;
}

/** `DELETE …/smtp-credentials/{id}` (spec 1-platform §12): no gateway accepts its logins when this resolves. */
@Injectable()
export class DeleteSmtpCredential {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly credentials: SmtpCredentialsRepository,
    private readonly audit: AuditLog,
    private readonly keyChanges: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 403 or 404 */
  async execute({ principal, id, actor }: DeleteSmtpCredentialCommand): Promise<void> {
    const { account_id: accountId } = principal;
    const revision = await this.dataSource.transaction(async (tx) => {
      await this.accounts.lock(tx, { id: accountId });
      const credential = await this.credentials.get(accountId, id, tx);
      requireTouch(principal, 'delete', domainNames(credential));
      await this.credentials.delete(tx, id);
      const { name, username } = credential;
      const entry = { actor, action: 'smtp-credential.delete', accountId, subjectId: id };
      await this.audit.record(tx, { ...entry, details: { name, username } });
      return this.keyChanges.record(tx, { keyIds: [id] });
    });
    await this.leases.settled(revision);
  }
}
