import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import type { AccountId, DomainId, SmtpCredentialId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import type { Page, PageQuery } from '@postmesh/http';
import { entityPage } from '../database/entity-page.js';
import { SmtpCredentialDomainEntity, SmtpCredentialEntity } from './smtp-credential.entity.js';
import { SmtpCredentialErrors } from './smtp-credential.rules.js';

export interface SmtpCredentialList {
  accountId: AccountId;
  /** only credentials with one of these; undefined = all, global ones among them */
  domains: readonly string[] | undefined;
}

@Injectable()
export class SmtpCredentialsRepository {
  constructor(
    @InjectRepository(SmtpCredentialEntity) private readonly credentials: Repository<SmtpCredentialEntity>,
  ) {}

  /** Newest first. */
  page(
    { accountId, domains }: SmtpCredentialList,
    page: PageQuery,
  ): Promise<Page<{ entity: SmtpCredentialEntity }>> {
    const ofAccount = 'select id, created_at from smtp_credentials credential where account_id = $1';
    const list =
      domains === undefined
        ? { text: ofAccount, parameters: [accountId] }
        : { text: `${ofAccount} and ${HAS_ONE_OF} any($2::text[]))`, parameters: [accountId, domains] };
    return entityPage(this.credentials, { list, page, relations: { domains: true } });
  }

  /** With its domains. @throws ApiError 404 */
  async get(
    accountId: AccountId,
    id: SmtpCredentialId,
    manager: EntityManager = this.credentials.manager,
  ): Promise<SmtpCredentialEntity> {
    const where = { id, accountId };
    const [credential] = await manager.find(SmtpCredentialEntity, { where, relations: { domains: true } });
    if (!credential) throw SmtpCredentialErrors.notFound();
    return credential;
  }

  count(manager: EntityManager, accountId: AccountId): Promise<number> {
    return manager.countBy(SmtpCredentialEntity, { accountId });
  }

  /** @returns the credential with its domains */
  async insert(
    manager: EntityManager,
    credential: Omit<SmtpCredentialEntity, 'domains'>,
    domains: ReadonlyMap<string, DomainId>,
  ): Promise<SmtpCredentialEntity> {
    await manager.insert(SmtpCredentialEntity, credential);
    const rows: SmtpCredentialDomainEntity[] = [...domains].map(([domain, domainId], position) => ({
      smtpCredentialId: credential.id,
      domainId,
      domain,
      position,
    }));
    await insertRows(manager, 'smtp_credential_domains', DOMAIN_COLUMNS, rows);
    return { ...credential, domains: rows };
  }

  async delete(manager: EntityManager, id: SmtpCredentialId): Promise<void> {
    await manager.delete(SmtpCredentialEntity, { id });
  }
}

const HAS_ONE_OF = `exists (select from smtp_credential_domains of
  where of.smtp_credential_id = credential.id and of.domain =`;

const DOMAIN_COLUMNS = {
  smtp_credential_id: 'uuid',
  domain_id: 'uuid',
  domain: 'text',
  position: 'smallint',
} as const;
