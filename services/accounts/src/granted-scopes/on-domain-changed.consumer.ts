import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainChanged, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { AuditLog, type Deed } from '../audit/audit-log.js';
import { KeyChanges } from '../revocation/key-changes.js';

/** Deleting a domain takes its scopes from all keys (spec 1-platform §2.3 rule 11). */
@Injectable()
export class OnDomainChangedConsumer implements Consumer<typeof DomainChanged> {
  constructor(
    private readonly changes: KeyChanges,
    private readonly audit: AuditLog,
  ) {}

  @Consumes(DomainChanged, 'accounts.granted-scopes')
  async handle(tx: EntityManager, events: EventOf<typeof DomainChanged>[]): Promise<void> {
    const deleted = events.filter(({ data }) => data.deleted);
    if (deleted.length === 0) return;
    await this.lockAccounts(tx, [...new Set(deleted.map((event) => event.data.account_id))]);
    const keys = await this.takeScopes(tx, [...new Set(deleted.map((event) => event.data.domain_id))]);
    if (keys.length === 0) return;
    await this.audit.recordAll(tx, keys.map(deedOf));
    await this.changes.record(tx, { keyIds: keys.map((key) => key.key_id) });
  }

  /** In one order, so that two transactions cannot wait for each other. */
  private async lockAccounts(manager: EntityManager, ids: string[]): Promise<void> {
    await manager.query('select from accounts where id = any($1::uuid[]) order by id for no key update', [
      ids,
    ]);
  }

  private async takeScopes(manager: EntityManager, domainIds: string[]): Promise<TakenScopes[]> {
    await manager.query(
      'insert into deleted_domains (domain_id) select unnest($1::uuid[]) on conflict do nothing',
      [domainIds],
    );
    // needed for the seconds in which a scope is being granted, no longer
    await manager.query(`delete from deleted_domains where deleted_at < now() - interval '1 day'`);
    return manager.query(
      `with taken as (
         delete from api_key_scopes where domain_id = any($1::uuid[]) returning api_key_id, scope, position
       )
       select key.id as key_id, key.account_id, array_agg(taken.scope order by taken.position) as scopes
       from taken join api_keys key on key.id = taken.api_key_id group by key.id order by key.id`,
      [domainIds],
    );
  }
}

interface TakenScopes {
  key_id: string;
  account_id: string;
  scopes: string[];
}

const deedOf = ({ key_id: keyId, account_id: accountId, scopes }: TakenScopes): Deed => ({
  actor: { kind: 'system' },
  action: 'api-key.lose-scopes',
  accountId,
  subjectId: keyId,
  details: { scopes, because: 'domain deleted' },
});
