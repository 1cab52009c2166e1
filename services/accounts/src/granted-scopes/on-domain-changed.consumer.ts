import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource, type EntityManager } from 'typeorm';
import { DomainChanged, type EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { Hears } from '@postmesh/service-host';
import { AuditLog, type Deed } from '../audit/audit-log.js';
import { KeyChanges } from '../revocation/key-changes.js';

const CONSUMER = 'accounts.granted-scopes';

/** Deleting a domain takes its scopes from all keys (spec 1-platform §2.3 rule 11). */
@Controller()
export class OnDomainChangedConsumer {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly changes: KeyChanges,
    private readonly audit: AuditLog,
  ) {}

  @Hears(DomainChanged)
  async on(@Payload() envelopes: EventEnvelope[]): Promise<void> {
    const deleted = envelopes
      .map((envelope) => DomainChanged.parse(envelope))
      .filter((event) => event.data.deleted);
    if (deleted.length === 0) return;
    await this.dataSource.transaction(async (manager) => {
      const fresh = await this.inbox.admit(manager, CONSUMER, deleted);
      if (fresh.length === 0) return;
      await this.lockAccounts(manager, [...new Set(fresh.map((event) => event.data.account_id))]);
      const keys = await this.takeScopes(manager, [...new Set(fresh.map((event) => event.data.domain_id))]);
      if (keys.length === 0) return;
      await this.audit.recordAll(manager, keys.map(deedOf));
      await this.changes.record(manager, { keyIds: keys.map((key) => key.key_id) });
    });
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
