import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  DomainChanged,
  type AccountId,
  type DomainId,
  type EventOf,
  type SmtpCredentialId,
} from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { AuditLog, SYSTEM } from '../audit/audit-log.js';
import { takeDeleted } from '../owned-domains/owned-domains.js';
import { KeyChanges } from '../revocation/key-changes.js';

/** Deleting a domain takes it from the credentials that name it; one that is left with none stays scoped. */
@Injectable()
export class OnDomainChanged implements Consumer<typeof DomainChanged> {
  constructor(
    private readonly keyChanges: KeyChanges,
    private readonly audit: AuditLog,
  ) {}

  @Consumes(DomainChanged, 'accounts.smtp-credential-domains')
  async handle(tx: EntityManager, events: EventOf<typeof DomainChanged>[]): Promise<void> {
    const deleted = events.filter(({ data }) => data.deleted).map(({ data }) => data);
    if (deleted.length === 0) return;
    await takeDeleted(tx, deleted);
    const losses = await takeDomains(tx, [...new Set(deleted.map(({ domain_id: id }) => id as DomainId))]);
    if (losses.length === 0) return;
    await this.audit.record(
      tx,
      losses.map(({ credentialId, accountId, domains }) => ({
        actor: SYSTEM,
        action: 'smtp-credential.lose-domains',
        accountId,
        subjectId: credentialId,
        details: { domains, because: 'domain deleted' },
      })),
    );
    await this.keyChanges.record(tx, { keyIds: losses.map(({ credentialId }) => credentialId) });
  }
}

interface Loss {
  credentialId: SmtpCredentialId;
  accountId: AccountId;
  domains: string[];
}

async function takeDomains(tx: EntityManager, domainIds: readonly DomainId[]): Promise<Loss[]> {
  const [losses]: [Loss[], number] = await tx.query(
    `with taken as (
       delete from smtp_credential_domains where domain_id = any($1::uuid[])
       returning smtp_credential_id, domain, position
     ), loss as (
       select smtp_credential_id as id, array_agg(domain order by position) as domains
       from taken group by smtp_credential_id
     )
     update smtp_credentials credential set updated_at = now()
     from loss where credential.id = loss.id
     returning credential.id as "credentialId", credential.account_id as "accountId", loss.domains`,
    [domainIds],
  );
  return losses;
}
