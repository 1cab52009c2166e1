import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import type { SystemMessage } from '../system-mail/message.rules.js';
import { AccountPeople, SystemMail } from '../system-mail/system-mail.js';
import type { ApiKeyEntity } from './api-key.entity.js';

/** Records a change of a key and requests its notices, in the transaction of the change. */
@Injectable()
export class ApiKeyAudit {
  constructor(
    private readonly audit: AuditLog,
    private readonly people: AccountPeople,
    private readonly mail: SystemMail,
  ) {}

  async created(manager: EntityManager, actor: Actor, key: ApiKeyEntity): Promise<void> {
    await this.record(
      manager,
      actor,
      { action: 'api-key.create', key },
      {
        label: key.label,
        scopes: key.scopes.map((row) => row.scope),
        ip_allow_list: key.ipAllowList,
      },
    );
    if (key.ipAllowList.length > 0) await this.notify(manager, key, 'set');
  }

  /** @param changed fields of the request; undefined = left out */
  async updated(
    manager: EntityManager,
    actor: Actor,
    { before, after }: { before: ApiKeyEntity; after: ApiKeyEntity },
    changed: Record<string, unknown>,
  ): Promise<void> {
    await this.record(manager, actor, { action: 'api-key.update', key: after }, changed);
    if (before.ipAllowList.join() !== after.ipAllowList.join()) await this.notify(manager, after, 'changed');
  }

  async deleted(manager: EntityManager, actor: Actor, key: ApiKeyEntity): Promise<void> {
    await this.record(manager, actor, { action: 'api-key.delete', key }, { label: key.label });
  }

  private record(
    manager: EntityManager,
    actor: Actor,
    { action, key }: { action: string; key: ApiKeyEntity },
    details: Record<string, unknown>,
  ): Promise<void> {
    const { accountId, id: subjectId } = key;
    return this.audit.record(manager, { actor, action, accountId, subjectId, details });
  }

  /** Mails the account's owner and Administrators (spec 1-platform §3 rule 8). */
  private async notify(manager: EntityManager, key: ApiKeyEntity, what: 'set' | 'changed'): Promise<void> {
    const [account] = await this.people.find(manager, [key.accountId], 'owner-and-administrators');
    if (account) await this.mail.send(manager, account, allowListNotice(account.name, key, what));
  }
}

/** The notice contains neither the secret nor the list, because mailboxes are less protected. */
function allowListNotice(accountName: string, key: ApiKeyEntity, what: 'set' | 'changed'): SystemMessage {
  const path = `/v2/accounts/${key.accountId}`;
  return {
    kind: 'ip-allow-list-changed',
    subject: `The IP allow list of an API key of ${accountName} was ${what}`,
    opening: [
      what === 'set'
        ? 'A new API key may be used from certain IP addresses only.'
        : 'The IP addresses from which this API key may be used have changed.',
    ],
    facts: [
      ['Account', accountName],
      ['API key', key.label],
      ['Public key', key.publicKey],
    ],
    closing: [
      `If you did not expect this, check the keys and members of the account (GET ${path}/api-keys and ${path}/members), and delete keys that you do not know with DELETE ${path}/api-keys/{key_id}.`,
    ],
  };
}
