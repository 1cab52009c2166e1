import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId, SmtpCredentialId, type AccountId, type DomainId, type Principal } from '@postmesh/contracts';
import { Pepper, randomText } from '@postmesh/secrets';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { AccountsRepository } from '../account/accounts.repository.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { OwnedDomains } from '../owned-domains/owned-domains.js';
import type { SmtpCredentialEntity } from './smtp-credential.entity.js';
import { MAX_SMTP_CREDENTIALS, requireCover, SmtpCredentialErrors } from './smtp-credential.rules.js';
import { domainNames, type CreateSmtpCredentialBody } from './smtp-credential.schema.js';
import { SmtpCredentialsRepository } from './smtp-credentials.repository.js';

const USERNAME_LENGTH = 20;
const USERNAME_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const PASSWORD_LENGTH = 40;

export interface CreateSmtpCredentialCommand {
  principal: Principal;
  input: CreateSmtpCredentialBody;
  actor: Actor;
}

export interface CreatedSmtpCredential {
  credential: SmtpCredentialEntity;
  /** the password for logins; it cannot be read again */
  password: string;
}

/** `POST …/smtp-credentials` (spec 1-platform §12): the credential can log in as soon as this resolves. */
@Injectable()
export class CreateSmtpCredential {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly credentials: SmtpCredentialsRepository,
    private readonly owned: OwnedDomains,
    private readonly audit: AuditLog,
    private readonly pepper: Pepper,
  ) {}

  /** @throws ApiError 400, 403, 404 or 409 */
  async execute(
    { principal, input, actor }: CreateSmtpCredentialCommand,
    remember: Remember<CreatedSmtpCredential> = forgetResult,
  ): Promise<CreatedSmtpCredential> {
    const { account_id: accountId } = principal;
    const domains = await this.findDomains(accountId, requireCover(principal, input));
    const password = randomText(PASSWORD_LENGTH);
    return this.dataSource.transaction(async (tx) => {
      await this.accounts.lock(tx, { id: accountId });
      await this.refuseDeleted(tx, domains);
      if ((await this.credentials.count(tx, accountId)) >= MAX_SMTP_CREDENTIALS) {
        throw SmtpCredentialErrors.tooMany();
      }
      const row = this.row(accountId, input, password);
      const credential = await this.credentials.insert(tx, row, domains);
      await this.recordCreated(tx, actor, credential);
      const created = { credential, password };
      await remember(tx, created);
      return created;
    });
  }

  /** @throws ApiError 400 for the first domain that the account does not have */
  private async findDomains(
    accountId: AccountId,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, DomainId>> {
    const owned = await this.owned.find(accountId, names);
    return new Map(
      names.map((name) => {
        const id = owned.get(name);
        if (id === undefined) throw SmtpCredentialErrors.noDomain(name);
        return [name, id];
      }),
    );
  }

  private async refuseDeleted(tx: EntityManager, domains: ReadonlyMap<string, DomainId>): Promise<void> {
    const deleted = await this.owned.deletedAmong(tx, [...domains.values()]);
    for (const [name, id] of domains) if (deleted.has(id)) throw SmtpCredentialErrors.noDomain(name);
  }

  private row(
    accountId: AccountId,
    { name, scope, sandbox }: CreateSmtpCredentialBody,
    password: string,
  ): Omit<SmtpCredentialEntity, 'domains'> {
    const now = new Date();
    return {
      id: SmtpCredentialId.parse(newId()),
      accountId,
      name,
      username: `smtp-${randomText(USERNAME_LENGTH, USERNAME_ALPHABET)}`,
      // 40 random characters have 238 bits, so they cannot be guessed from a stolen hash, however fast it is computed:
      // HMAC-SHA-256 with the server's pepper is safe, and a login costs microseconds. Slow hashes are for passwords
      // that people choose.
      passwordHash: this.pepper.hash(password),
      pepperId: this.pepper.keyId,
      sandbox: sandbox ?? false,
      scope,
      createdAt: now,
      updatedAt: now,
    };
  }

  private async recordCreated(
    tx: EntityManager,
    actor: Actor,
    credential: SmtpCredentialEntity,
  ): Promise<void> {
    const { id: subjectId, accountId, name, username, scope, sandbox } = credential;
    const details = { name, username, scope, sandbox, domains: domainNames(credential) };
    await this.audit.record(tx, { actor, action: 'smtp-credential.create', accountId, subjectId, details });
  }
}
