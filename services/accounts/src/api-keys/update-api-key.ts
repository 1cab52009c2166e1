import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors, type ApiKeyId } from '@postmesh/contracts';
import { type AccountRef, AccountsRepository } from '../account/accounts.repository.js';
import type { Actor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { ApiKeyAudit } from './api-key-audit.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import type { UpdateApiKeyBody } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { readScopes } from './granted-scopes.rules.js';
import { canonicalAllowList } from './ip-allow-list.rules.js';
import { OwnedScopes, type OwnedScope } from './owned-scopes.js';
import { refuseEmptyChange, refuseSelfLockout } from './update-api-key.rules.js';

export interface UpdateApiKeyCommand {
  owner: AccountRef;
  keyId: ApiKeyId;
  input: UpdateApiKeyBody;
  actor: Actor;
  /** set when a key changes itself, which must not lock it out */
  self?: { clientIp: string };
}

/** The fields of the update, canonical; undefined = unchanged. */
interface Change {
  label?: string;
  scopes?: readonly OwnedScope[];
  ipAllowList?: string[];
}

/** Changes a key; every gateway has applied the change when this resolves. */
@Injectable()
export class UpdateApiKey {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly scopes: OwnedScopes,
    private readonly audit: ApiKeyAudit,
    private readonly keyChanges: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 400, 404, 409 */
  async execute(command: UpdateApiKeyCommand): Promise<ApiKeyEntity> {
    const change = await this.readChange(command);
    const { key, revision } = await this.dataSource.transaction((manager) =>
      this.apply(manager, command, change),
    );
    await this.leases.settled(revision);
    return key;
  }

  private async readChange({ owner, input }: UpdateApiKeyCommand): Promise<Change> {
    const label = input.label ?? undefined;
    if (label === undefined && !input.scopes && !input.ip_allow_list) {
      throw ApiErrors.nothingGiven();
    }
    const account = await this.accounts.get(owner);
    const isSubAccount = account.parentAccountId !== null;
    const scopes = input.scopes
      ? await this.scopes.find(account.id, readScopes(input.scopes, { isSubAccount }))
      : undefined;
    const ipAllowList = input.ip_allow_list ? canonicalAllowList(input.ip_allow_list) : undefined;
    return { label, scopes, ipAllowList };
  }

  private async apply(manager: EntityManager, command: UpdateApiKeyCommand, change: Change) {
    const { owner, keyId, actor, self } = command;
    const account = await this.accounts.lock(manager, owner);
    const before = await this.keys.get(account.id, keyId, manager);
    const wanted = { ...change, scopes: change.scopes?.map(({ scope }) => scope) };
    refuseEmptyChange(before, wanted);
    if (self) refuseSelfLockout(wanted, self);
    await this.scopes.refuseDeleted(manager, change.scopes ?? []);
    const after = await this.write(manager, before, change);
    const { label, scopes, ipAllowList } = wanted;
    await this.audit.updated(
      manager,
      actor,
      { before, after },
      { label, scopes, ip_allow_list: ipAllowList },
    );
    return { key: after, revision: await this.keyChanges.record(manager, { keyIds: [keyId] }) };
  }

  private async write(manager: EntityManager, key: ApiKeyEntity, change: Change): Promise<ApiKeyEntity> {
    const columns = {
      label: change.label ?? key.label,
      ipAllowList: change.ipAllowList ?? key.ipAllowList,
      updatedAt: new Date(),
    };
    await this.keys.update(manager, key.id, columns);
    const scopes = change.scopes
      ? await this.keys.replaceScopes(manager, key, change.scopes, columns.updatedAt)
      : key.scopes;
    return { ...key, ...columns, scopes };
  }
}
