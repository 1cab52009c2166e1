import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId, ApiErrors } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountsRepository } from '../account/accounts.repository.js';
import type { Actor } from '../audit/audit-log.js';
import { readScopes } from '../granted-scopes/granted-scopes.rules.js';
import { OwnedScopes, type OwnedScope } from '../granted-scopes/owned-scopes.js';
import { canonicalAllowList } from '../ip-allow-list/ip-allow-list.rules.js';
import { ApiKeyDeeds } from './api-key-deeds.js';
import { newApiKeyPair } from './api-key-secret.js';
import { apiKeyResource } from './api-key.resource.js';
import type { CreateApiKeyBody, CreatedApiKey } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';

export interface CreateApiKeyOrder {
  accountId: string;
  /** what it is called when it is not there */
  ownerIs?: 'account' | 'sub account';
  input: CreateApiKeyBody;
  actor: Actor;
  /** the user who makes it, null = nobody; else a key that is made by a key belongs to whoever made that one */
  createdBy?: string | null;
}

/** Makes keys: for the account itself, for its sub-accounts, for the operator, and the first one. */
@Injectable()
export class CreateApiKey {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly scopes: OwnedScopes,
    private readonly pepper: Pepper,
    private readonly deeds: ApiKeyDeeds,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param within runs in the transaction that makes the key
   * @throws ApiError 400, 404
   */
  async execute<T>(
    order: CreateApiKeyOrder,
    within: (manager: EntityManager, key: CreatedApiKey) => Promise<T>,
  ): Promise<T> {
    const { accountId, ownerIs = 'account', input } = order;
    const account = await this.accounts.find(accountId);
    if (!account) throw ApiErrors.notFound(ownerIs);
    const wanted = readScopes(input.scopes, { isSubAccount: account.parentAccountId !== null });
    const scopes = await this.scopes.find(accountId, wanted);
    const allowList = canonicalAllowList(input.ip_allow_list ?? []);
    return this.dataSource.transaction(async (manager) => {
      if (!(await this.accounts.lock(manager, accountId))) throw ApiErrors.notFound(ownerIs);
      await this.scopes.refuseDeleted(manager, scopes);
      return within(manager, await this.insert(manager, order, scopes, allowList));
    });
  }

  /** In a transaction that holds the account. */
  async insert(
    manager: EntityManager,
    order: CreateApiKeyOrder,
    scopes: readonly OwnedScope[],
    ipAllowList: string[],
  ): Promise<CreatedApiKey> {
    const { accountId, input, actor, createdBy } = order;
    const { secretKey, publicKey } = newApiKeyPair(this.settings.keyPrefix);
    const id = newId();
    await this.keys.insert(
      manager,
      {
        id,
        accountId,
        label: input.label,
        publicKey,
        secretHash: this.pepper.hash(secretKey),
        ipAllowList,
        createdBy: createdBy === undefined ? await this.keys.creatorOf(manager, actor) : createdBy,
        createdAt: new Date(),
      },
      scopes,
    );
    const row = await this.keys.find(manager, accountId, id);
    if (!row) throw new Error('a key that was just made is not there');
    const key = apiKeyResource(row);
    await this.deeds.created(manager, actor, key);
    return { ...key, secret_key: secretKey };
  }
}
