import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ApiKeyId, Principal } from '@postmesh/contracts';
import { randomText, SecretBox } from '@postmesh/secrets';
import { AccountsRepository } from '../account/accounts.repository.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { requireGrantable } from '../api-keys/granted-scopes.rules.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { SES_SECRETS, SesCredentialEntity } from './ses-credential.entity.js';

// Clients expect word characters, 16 to 128 of them; the id is no secret, but it cannot be guessed.
const ID_PREFIX = 'AKPM';
const ID_LENGTH = 20;
const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SECRET_LENGTH = 40;

export interface SesCredentialCommand {
  principal: Principal;
  keyId: ApiKeyId;
  actor: Actor;
}

export interface CreatedSesCredential {
  credential: Omit<SesCredentialEntity, 'sealedSecret'>;
  /** it cannot be read again */
  secret: string;
}

/** Makes the access key of an API key; an earlier one ends. */
@Injectable()
export class CreateSesCredential {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly audit: AuditLog,
    private readonly keyChanges: KeyChanges,
    private readonly leases: CacheLeases,
    private readonly secrets: SecretBox,
  ) {}

  /** @throws ApiError 403 for a key with scopes that the member could not grant; 404 */
  async execute({ principal, keyId, actor }: SesCredentialCommand): Promise<CreatedSesCredential> {
    const secret = randomText(SECRET_LENGTH);
    const credential = {
      apiKeyId: keyId,
      accessKeyId: `${ID_PREFIX}${randomText(ID_LENGTH, ID_ALPHABET)}`,
      createdAt: new Date(),
    };
    const revision = await this.dataSource.transaction(async (tx) => {
      const { id: accountId } = await this.accounts.lock(tx, { id: principal.account_id });
      const key = await this.keys.get(accountId, keyId, tx);
      requireGrantable(
        principal,
        key.scopes.map(({ scope }) => scope),
      );
      const sealedSecret = this.secrets.seal(secret, SES_SECRETS.about(keyId));
      await tx.upsert(SesCredentialEntity, { ...credential, sealedSecret }, ['apiKeyId']);
      const details = { label: key.label, access_key_id: credential.accessKeyId };
      const entry = { actor, action: 'ses-credential.create', accountId, subjectId: keyId };
      await this.audit.record(tx, { ...entry, details });
      return this.keyChanges.record(tx, { keyIds: [keyId] });
    });
    await this.leases.settled(revision);
    return { credential, secret };
  }
}
