import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiKeyId, newId, type AccountId, type UserId } from '@postmesh/contracts';
import { Pepper, randomText } from '@postmesh/secrets';
import { forgetResult, SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { type AccountRef, AccountsRepository } from '../account/accounts.repository.js';
import type { Actor } from '../audit/audit-log.js';
import { ApiKeyAudit } from './api-key-audit.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import type { CreateApiKeyBody } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { readScopes } from './granted-scopes.rules.js';
import { canonicalAllowList } from './ip-allow-list.rules.js';
import { OwnedScopes, type OwnedScope } from './owned-scopes.js';

const SECRET_LENGTH = 64;
const PUBLIC_LENGTH = 32;

export interface CreateApiKeyCommand {
  owner: AccountRef;
  input: CreateApiKeyBody;
  actor: Actor;
}

export interface CreatedApiKey {
  key: ApiKeyEntity;
  /** the bearer token; it cannot be read again */
  secret: string;
}

export interface NewApiKey {
  accountId: AccountId;
  label: string;
  scopes: readonly OwnedScope[];
  ipAllowList: string[];
  /** the user who made it; null = no user */
  createdBy: UserId | null;
}

/** Creates keys: for the account itself, for its sub-accounts, for the operator, and the first one. */
@Injectable()
export class CreateApiKey {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly scopes: OwnedScopes,
    private readonly audit: ApiKeyAudit,
    private readonly pepper: Pepper,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ApiError 400, 404 */
  async execute(
    { owner, input, actor }: CreateApiKeyCommand,
    remember: Remember<CreatedApiKey> = forgetResult,
  ): Promise<CreatedApiKey> {
    const { id: accountId, parentAccountId } = await this.accounts.get(owner);
    const wanted = readScopes(input.scopes, { isSubAccount: parentAccountId !== null });
    const scopes = await this.scopes.find(accountId, wanted);
    const ipAllowList = canonicalAllowList(input.ip_allow_list ?? []);
    return this.dataSource.transaction(async (manager) => {
      await this.accounts.lock(manager, owner);
      await this.scopes.refuseDeleted(manager, scopes);
      // a key made by a key has the creator of that key; a child's key has no creator among the parent's members
      const createdBy = owner.parentId === undefined ? await this.keys.creatorOf(manager, actor) : null;
      const given = { accountId, label: input.label, scopes, ipAllowList, createdBy };
      const created = await this.insert(manager, given, actor);
      await remember(manager, created);
      return created;
    });
  }

  /** Runs in a transaction that has locked the account. */
  async insert(
    manager: EntityManager,
    { scopes, ...given }: NewApiKey,
    actor: Actor,
  ): Promise<CreatedApiKey> {
    const { keyPrefix } = this.settings;
    // spec 1-platform §2.1: the secret authenticates, the public key identifies the key
    const secret = `${keyPrefix}-sk-${randomText(SECRET_LENGTH)}`;
    const now = new Date();
    const row = {
      ...given,
      id: ApiKeyId.parse(newId()),
      publicKey: `${keyPrefix}-pk-${randomText(PUBLIC_LENGTH)}`,
      secretHash: this.pepper.hash(secret),
      pepperId: this.pepper.keyId,
      createdAt: now,
      updatedAt: now,
      lastUsedAt: null,
    };
    const key = await this.keys.insert(manager, row, scopes);
    await this.audit.created(manager, actor, key);
    return { key, secret };
  }
}
