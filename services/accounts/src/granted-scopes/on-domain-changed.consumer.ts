import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource, type EntityManager } from 'typeorm';
import { DomainChanged, type EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { Hears } from '@postmesh/service-host';
import { KeyChanges } from '../revocation/key-changes.js';

const CONSUMER = 'accounts.granted-scopes';

/** Deleting a domain takes its scopes from all keys (spec 1-platform §2.3 rule 11). */
@Controller()
export class OnDomainChangedConsumer {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly changes: KeyChanges,
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
      const keyIds = await this.takeScopes(manager, [...new Set(fresh.map((event) => event.data.domain_id))]);
      if (keyIds.length > 0) await this.changes.record(manager, { keyIds });
    });
  }

  /** In one order, so that two transactions cannot wait for each other. */
  private async lockAccounts(manager: EntityManager, ids: string[]): Promise<void> {
    await manager.query('select from accounts where id = any($1::uuid[]) order by id for no key update', [
      ids,
    ]);
  }

  private async takeScopes(manager: EntityManager, domainIds: string[]): Promise<string[]> {
    await manager.query(
      'insert into deleted_domains (domain_id) select unnest($1::uuid[]) on conflict do nothing',
      [domainIds],
    );
    // needed for the seconds in which a scope is being granted, no longer
    await manager.query(`delete from deleted_domains where deleted_at < now() - interval '1 day'`);
    const [rows]: [{ api_key_id: string }[], number] = await manager.query(
      'delete from api_key_scopes where domain_id = any($1::uuid[]) returning api_key_id',
      [domainIds],
    );
    return [...new Set(rows.map((row) => row.api_key_id))];
  }
}
