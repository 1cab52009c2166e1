import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/pagination';
import type { Actor } from '../audit/audit-log.js';
import { ApiKeyEntity, ApiKeyScopeEntity } from '../database/entities/index.js';
import type { OwnedScope } from '../granted-scopes/owned-scopes.js';
import type { ApiKeyRow } from './api-key.resource.js';

const iso = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const KEYS = `select key.id, key.account_id, key.label, key.public_key, key.ip_allow_list,
    key.created_at, key.updated_at, key.last_used_at,
    coalesce((select json_agg(json_build_object(
        'id', scope.id, 'created_at', ${iso('scope.created_at')}, 'updated_at', ${iso('scope.updated_at')},
        'api_key_id', scope.api_key_id, 'scope', scope.scope, 'domain_id', scope.domain_id
      ) order by scope.position)
      from api_key_scopes scope where scope.api_key_id = key.id), '[]') as scopes
  from api_keys key where key.account_id = $1`;

export type NewApiKey = Omit<ApiKeyEntity, 'lastUsedAt' | 'updatedAt'>;

@Injectable()
export class ApiKeysRepository {
  async page(manager: EntityManager, accountId: string, page: PageQuery): Promise<(ApiKeyRow & PageRow)[]> {
    const { text, parameters } = pageSql({ text: KEYS, parameters: [accountId] }, page);
    return manager.query(text, [...parameters]);
  }

  async find(manager: EntityManager, accountId: string, keyId: string): Promise<ApiKeyRow | undefined> {
    const rows: ApiKeyRow[] = await manager.query(`${KEYS} and key.id = $2`, [accountId, keyId]);
    return rows[0];
  }

  /** The user behind an actor; null when there is none. */
  async creatorOf(manager: EntityManager, actor: Actor): Promise<string | null> {
    if (actor.kind !== 'api-key') return null;
    const key = await manager.findOneBy(ApiKeyEntity, { id: actor.id });
    return key?.createdBy ?? null;
  }

  async insert(manager: EntityManager, key: NewApiKey, scopes: readonly OwnedScope[]): Promise<void> {
    await manager.insert(ApiKeyEntity, { ...key, updatedAt: key.createdAt, lastUsedAt: null });
    await this.insertScopes(
      manager,
      key.id,
      scopes.map((scope, position) => ({ ...scope, position })),
      key.createdAt,
    );
  }

  async update(
    manager: EntityManager,
    keyId: string,
    change: { label: string; ipAllowList: string[]; updatedAt: Date },
  ): Promise<void> {
    await manager.update(ApiKeyEntity, { id: keyId }, change);
  }

  /** Keeps the rows of scopes that stay (spec 1-platform §2.3 rule 10). */
  async replaceScopes(
    manager: EntityManager,
    key: ApiKeyRow,
    scopes: readonly OwnedScope[],
    at: Date,
  ): Promise<void> {
    const places = new Map(scopes.map((one, position) => [identity(one.scope, one.domainId), position]));
    const stays = key.scopes.filter((row) => places.has(identity(row.scope, row.domain_id)));
    const known = new Set(stays.map((row) => identity(row.scope, row.domain_id)));
    await manager.query('delete from api_key_scopes where api_key_id = $1 and id <> all($2::uuid[])', [
      key.id,
      stays.map((row) => row.id),
    ]);
    await manager.query(
      `update api_key_scopes scope set position = staying.position
       from unnest($1::uuid[], $2::int[]) as staying (id, position) where scope.id = staying.id`,
      [stays.map((row) => row.id), stays.map((row) => places.get(identity(row.scope, row.domain_id)))],
    );
    const placed = scopes.map((scope, position) => ({ ...scope, position }));
    const comes = placed.filter((one) => !known.has(identity(one.scope, one.domainId)));
    await this.insertScopes(manager, key.id, comes, at);
  }

  async delete(manager: EntityManager, keyId: string): Promise<void> {
    await manager.delete(ApiKeyEntity, { id: keyId });
  }

  private async insertScopes(
    manager: EntityManager,
    keyId: string,
    scopes: readonly (OwnedScope & { position: number })[],
    at: Date,
  ): Promise<void> {
    if (scopes.length === 0) return;
    await manager.insert(
      ApiKeyScopeEntity,
      scopes.map(({ scope, domainId, position }) => ({
        id: newId(),
        apiKeyId: keyId,
        position,
        scope,
        domainId,
        createdAt: at,
        updatedAt: at,
      })),
    );
  }
}

/** A domain that was deleted and made again is another domain, so its scope is another grant. */
const identity = (scope: string, domainId: string | null) => `${scope} ${domainId ?? ''}`;
