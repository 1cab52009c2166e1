import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { DomainChanged, type DomainFacts } from '@postmesh/domains-contract';
import type { AccountId, ApiKeyId, EventOf, SmtpCredentialId } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { AuditLog, SYSTEM, type AuditEntry } from '../audit/audit-log.js';
import { KeyChanges } from '../revocation/key-changes.js';

const BECAUSE = { because: 'domain deleted' };

/**
 * The deletion of a domain removes its scopes from all API keys (spec 1-platform §2.3 rule 11), and the domain from all
 * SMTP credentials: a credential without any domain stays scoped, and may send from none.
 */
@Controller()
export class OnDomainChanged {
  constructor(
    private readonly keyChanges: KeyChanges,
    private readonly audit: AuditLog,
  ) {}

  @Consumes(DomainChanged, 'accounts.granted-scopes')
  async handle(
    @Payload() events: EventOf<typeof DomainChanged>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    const deleted = events.filter(({ data }) => data.deleted).map(({ data }) => data);
    if (deleted.length === 0) return;
    const domainIds = await takeDeleted(tx, deleted);
    const keys = await takeScopes(tx, domainIds);
    const credentials = await takeDomains(tx, domainIds);
    if (keys.length + credentials.length === 0) return;
    await this.audit.record(tx, [...keys.map(keyEntry), ...credentials.map(credentialEntry)]);
    await this.keyChanges.record(tx, {
      keyIds: [...keys.map(({ keyId }) => keyId), ...credentials.map(({ credentialId }) => credentialId)],
    });
  }
}

/**
 * Locks the accounts in one order, so that two transactions cannot deadlock, and stores the deleted domains for concurrent
 * changes that name one of them (OwnedDomains).
 * @returns the ids of the domains, each once
 */
async function takeDeleted(tx: EntityManager, deleted: readonly DomainFacts[]): Promise<string[]> {
  await tx.query('select from accounts where id = any($1::uuid[]) order by id for no key update', [
    [...new Set(deleted.map(({ account_id: id }) => id))],
  ]);
  const ids = [...new Set(deleted.map(({ domain_id: id }) => id))];
  await tx.query('insert into deleted_domains (domain_id) select unnest($1::uuid[]) on conflict do nothing', [
    ids,
  ]);
  // rows are needed only for the seconds of a concurrent change
  await tx.query(`delete from deleted_domains where deleted_at < now() - interval '1 day'`);
  return ids;
}

interface TakenScopes {
  keyId: ApiKeyId;
  accountId: AccountId;
  scopes: string[];
}

function takeScopes(tx: EntityManager, domainIds: readonly string[]): Promise<TakenScopes[]> {
  return tx.query(
    `with taken as (
       delete from api_key_scopes where domain_id = any($1::uuid[]) returning api_key_id, scope, position
     )
     select key.id as "keyId", key.account_id as "accountId",
       array_agg(taken.scope order by taken.position) as scopes
     from taken join api_keys key on key.id = taken.api_key_id group by key.id order by key.id`,
    [domainIds],
  );
}

const keyEntry = ({ keyId, accountId, scopes }: TakenScopes): AuditEntry => ({
  actor: SYSTEM,
  action: 'api-key.lose-scopes',
  accountId,
  subjectId: keyId,
  details: { scopes, ...BECAUSE },
});

interface TakenDomains {
  credentialId: SmtpCredentialId;
  accountId: AccountId;
  domains: string[];
}

async function takeDomains(tx: EntityManager, domainIds: readonly string[]): Promise<TakenDomains[]> {
  const [taken]: [TakenDomains[], number] = await tx.query(
    `with taken as (
       delete from smtp_credential_domains where domain_id = any($1::uuid[])
       returning smtp_credential_id, domain, position
     ), loss as (
       select smtp_credential_id as id, array_agg(domain order by position) as domains
       from taken group by smtp_credential_id
     )
     update smtp_credentials credential set updated_at = now() from loss where credential.id = loss.id
     returning credential.id as "credentialId", credential.account_id as "accountId", loss.domains`,
    [domainIds],
  );
  return taken;
}

const credentialEntry = ({ credentialId, accountId, domains }: TakenDomains): AuditEntry => ({
  actor: SYSTEM,
  action: 'smtp-credential.lose-domains',
  accountId,
  subjectId: credentialId,
  details: { domains, ...BECAUSE },
});
