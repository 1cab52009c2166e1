import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Not, Repository, type EntityManager } from 'typeorm';
import { ApiErrors, newId, UserId, type AccountId, type ApiKeyId } from '@postmesh/contracts';
import type { Page, PageQuery } from '@postmesh/http';
import type { Actor } from '../audit/audit-log.js';
import { entityPage } from '../database/entity-page.js';
import { ApiKeyEntity, ApiKeyScopeEntity } from './api-key.entity.js';
import type { OwnedScope } from './owned-scopes.js';

@Injectable()
export class ApiKeysRepository {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  page(accountId: AccountId, page: PageQuery): Promise<Page<{ entity: ApiKeyEntity }>> {
    const text = 'select id, created_at from api_keys where account_id = $1';
    const list = { text, parameters: [accountId] };
    return entityPage(this.keys, { list, page, relations: { scopes: true } });
  }

  /** With its scopes. @throws ApiError 404 `api key not found` */
  async get(
    accountId: AccountId,
    keyId: ApiKeyId,
    manager: EntityManager = this.keys.manager,
  ): Promise<ApiKeyEntity> {
    const where = { id: keyId, accountId };
    const [key] = await manager.find(ApiKeyEntity, { where, relations: { scopes: true } });
    if (!key) throw ApiErrors.notFound('api key');
    return key;
  }

  /** The user behind an actor; null when there is none. */
  async creatorOf(manager: EntityManager, actor: Actor): Promise<UserId | null> {
    if (actor.kind === 'member') return UserId.parse(actor.id);
    if (actor.kind !== 'api-key') return null;
    const rows: { created_by: UserId | null }[] = await manager.query(
      'select created_by from api_keys where id = $1',
      [actor.id],
    );
    return rows[0]?.created_by ?? null;
  }

  /** @returns the key with its scopes */
  async insert(
    manager: EntityManager,
    key: Omit<ApiKeyEntity, 'scopes'>,
    scopes: readonly OwnedScope[],
  ): Promise<ApiKeyEntity> {
    await manager.insert(ApiKeyEntity, key);
    return { ...key, scopes: await insertScopes(manager, key.id, placed(scopes), key.createdAt) };
  }

  async update(
    manager: EntityManager,
    id: ApiKeyId,
    columns: Pick<ApiKeyEntity, 'label' | 'ipAllowList' | 'updatedAt'>,
  ): Promise<void> {
    await manager.update(ApiKeyEntity, { id }, columns);
  }

  /** Keeps the rows of scopes that stay (spec 1-platform §2.3 rule 10). @returns the new scopes */
  async replaceScopes(
    manager: EntityManager,
    key: ApiKeyEntity,
    scopes: readonly OwnedScope[],
    at: Date,
  ): Promise<ApiKeyScopeEntity[]> {
    const wanted = new Map(placed(scopes).map((one) => [identity(one), one]));
    const staying = key.scopes.flatMap((row) => {
      const one = wanted.get(identity(row));
      return one ? [{ ...row, position: one.position }] : [];
    });
    const ids = staying.map(({ id }) => id);
    await manager.delete(ApiKeyScopeEntity, { apiKeyId: key.id, id: Not(In(ids)) });
    await manager.query(
      `update api_key_scopes scope set position = staying.position
       from unnest($1::uuid[], $2::int[]) as staying (id, position) where scope.id = staying.id`,
      [ids, staying.map(({ position }) => position)],
    );
    for (const row of staying) wanted.delete(identity(row));
    return [...staying, ...(await insertScopes(manager, key.id, [...wanted.values()], at))];
  }

  async delete(manager: EntityManager, id: ApiKeyId): Promise<void> {
    await manager.delete(ApiKeyEntity, { id });
  }
}

type PlacedScope = OwnedScope & { position: number };

const placed = (scopes: readonly OwnedScope[]): PlacedScope[] =>
  scopes.map((scope, position) => ({ ...scope, position }));

/** A domain that was deleted and created again is another domain, so its scope is another grant. */
const identity = ({ scope, domainId }: OwnedScope) => `${scope} ${domainId ?? ''}`;

async function insertScopes(
  manager: EntityManager,
  apiKeyId: ApiKeyId,
  scopes: readonly PlacedScope[],
  at: Date,
): Promise<ApiKeyScopeEntity[]> {
  if (scopes.length === 0) return [];
  const rows = scopes.map((one) => ({ ...one, id: newId(), apiKeyId, createdAt: at, updatedAt: at }));
  await manager.insert(ApiKeyScopeEntity, rows);
  return rows;
}
