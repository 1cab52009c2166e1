import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainChanged, type AccountId, type ApiKeyId, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { AuditLog, SYSTEM } from '../audit/audit-log.js';
import { takeDeleted } from '../owned-domains/owned-domains.js';
import { KeyChanges } from '../revocation/key-changes.js';

/** Deleting a domain takes its scopes from all keys (spec 1-platform §2.3 rule 11). */
@Injectable()
export class OnDomainChanged implements Consumer<typeof DomainChanged> {
  constructor(
    private readonly keyChanges: KeyChanges,
    private readonly audit: AuditLog,
  ) {}

  @Consumes(DomainChanged, 'accounts.granted-scopes')
  async handle(tx: EntityManager, events: EventOf<typeof DomainChanged>[]): Promise<void> {
    const deleted = events.filter(({ data }) => data.deleted).map(({ data }) => data);
    if (deleted.length === 0) return;
    await takeDeleted(tx, deleted);
    const keys = await takeScopes(tx, [...new Set(deleted.map(({ domain_id: id }) => id))]);
    if (keys.length === 0) return;
    await this.audit.record(
      tx,
      keys.map(({ keyId, accountId, scopes }) => ({
        actor: SYSTEM,
        action: 'api-key.lose-scopes',
        accountId,
        subjectId: keyId,
        details: { scopes, because: 'domain deleted' },
      })),
    );
    await this.keyChanges.record(tx, { keyIds: keys.map(({ keyId }) => keyId) });
  }
}

interface TakenScopes {
  keyId: ApiKeyId;
  accountId: AccountId;
  scopes: string[];
}

function takeScopes(tx: EntityManager, domainIds: string[]): Promise<TakenScopes[]> {
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
