import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { AllowListNotices } from '../ip-allow-list/allow-list-notices.js';
import type { ApiKeyResource } from './api-key.schema.js';

/** What is written down and told of what is done to keys, in the transaction that does it. */
@Injectable()
export class ApiKeyDeeds {
  constructor(
    private readonly audit: AuditLog,
    private readonly notices: AllowListNotices,
  ) {}

  async created(manager: EntityManager, actor: Actor, key: ApiKeyResource): Promise<void> {
    await this.record(manager, actor, 'api-key.create', key, {
      label: key.label,
      scopes: key.scopes.map((row) => row.scope),
      ip_allow_list: key.ip_allow_list,
    });
    if (key.ip_allow_list.length > 0) await this.tell(manager, key, 'set');
  }

  /** @param changed what was asked for; undefined = not asked for */
  async updated(
    manager: EntityManager,
    actor: Actor,
    keys: { before: ApiKeyResource; after: ApiKeyResource },
    changed: Record<string, unknown>,
  ): Promise<void> {
    await this.record(manager, actor, 'api-key.update', keys.after, changed);
    const isOther = keys.before.ip_allow_list.join() !== keys.after.ip_allow_list.join();
    if (isOther) await this.tell(manager, keys.after, 'changed');
  }

  async deleted(manager: EntityManager, actor: Actor, key: ApiKeyResource): Promise<void> {
    await this.record(manager, actor, 'api-key.delete', key, { label: key.label });
  }

  private record(
    manager: EntityManager,
    actor: Actor,
    action: string,
    key: ApiKeyResource,
    details: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record(manager, {
      actor,
      action,
      accountId: key.account_id,
      subjectId: key.id,
      details,
    });
  }

  private tell(manager: EntityManager, key: ApiKeyResource, deed: 'set' | 'changed'): Promise<void> {
    const { account_id: accountId, label, public_key: publicKey } = key;
    return this.notices.send(manager, { accountId, label, publicKey }, deed);
  }
}
