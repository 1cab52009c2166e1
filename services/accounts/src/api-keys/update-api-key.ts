import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { AccountsRepository } from '../account/accounts.repository.js';
import type { Actor } from '../audit/audit-log.js';
import { readScopes } from '../granted-scopes/granted-scopes.rules.js';
import { OwnedScopes, type OwnedScope } from '../granted-scopes/owned-scopes.js';
import { canonicalAllowList } from '../ip-allow-list/ip-allow-list.rules.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import { ApiKeyDeeds } from './api-key-deeds.js';
import { apiKeyResource, type ApiKeyRow } from './api-key.resource.js';
import type { ApiKeyResource, UpdateApiKeyBody } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { refuseEmptyChange, refuseSelfLockout } from './update-api-key.rules.js';

export interface UpdateApiKeyOrder {
  accountId: string;
  /** what it is called when it is not there */
  ownerIs?: 'account' | 'sub account';
  keyId: string;
  input: UpdateApiKeyBody;
  actor: Actor;
  /** set when a key changes itself: it must not lock itself out */
  self?: { clientIp: string };
}

interface Change {
  label?: string;
  scopes?: readonly OwnedScope[];
  ipAllowList?: string[];
}

/** Changes a key; every gateway follows before it resolves. */
@Injectable()
export class UpdateApiKey {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly scopes: OwnedScopes,
    private readonly deeds: ApiKeyDeeds,
    private readonly changes: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /** @throws ApiError 400, 404, 409 */
  async execute(order: UpdateApiKeyOrder): Promise<ApiKeyResource> {
    const change = await this.readChange(order);
    const { key, revision } = await this.dataSource.transaction((manager) =>
      this.apply(manager, order, change),
    );
    await this.leases.settled(revision);
    return key;
  }

  private async readChange({ accountId, ownerIs = 'account', input }: UpdateApiKeyOrder): Promise<Change> {
    const label = input.label ?? undefined;
    if (label === undefined && !input.scopes && !input.ip_allow_list) {
      throw ApiErrors.nothingGiven();
    }
    const account = await this.accounts.find(accountId);
    if (!account) throw ApiErrors.notFound(ownerIs);
    const owner = { isSubAccount: account.parentAccountId !== null };
    const scopes = input.scopes
      ? await this.scopes.find(accountId, readScopes(input.scopes, owner))
      : undefined;
    const ipAllowList = input.ip_allow_list ? canonicalAllowList(input.ip_allow_list) : undefined;
    return { label, scopes, ipAllowList };
  }

  private async apply(manager: EntityManager, order: UpdateApiKeyOrder, change: Change) {
    const { accountId, ownerIs = 'account', keyId, self } = order;
    if (!(await this.accounts.lock(manager, accountId))) throw ApiErrors.notFound(ownerIs);
    const key = await this.keys.find(manager, accountId, keyId);
    if (!key) throw ApiErrors.notFound('api key');
    const wanted = { ...change, scopes: change.scopes?.map((one) => one.scope) };
    refuseEmptyChange(key, wanted);
    if (self) refuseSelfLockout(wanted, self);
    await this.scopes.refuseDeleted(manager, change.scopes ?? []);
    await this.write(manager, key, change);
    const before = apiKeyResource(key);
    const after = apiKeyResource((await this.keys.find(manager, accountId, keyId)) ?? key);
    await this.deeds.updated(
      manager,
      order.actor,
      { before, after },
      { label: change.label, scopes: wanted.scopes, ip_allow_list: change.ipAllowList },
    );
    const revision = await this.changes.record(manager, { keyIds: [keyId] });
    return { key: after, revision };
  }

  private async write(manager: EntityManager, key: ApiKeyRow, change: Change): Promise<void> {
    const at = new Date();
    await this.keys.update(manager, key.id, {
      label: change.label ?? key.label,
      ipAllowList: change.ipAllowList ?? key.ip_allow_list,
      updatedAt: at,
    });
    if (change.scopes) await this.keys.replaceScopes(manager, key, change.scopes, at);
  }
}
