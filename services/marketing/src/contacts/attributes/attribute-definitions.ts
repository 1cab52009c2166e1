import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, ApiErrors, type AccountId } from '@postmesh/contracts';
import { changedRows } from '@postmesh/database';
import { requirePresent } from '../../account-changes/deleted-accounts.js';
import type { AttributeType, AttributeTypes } from './attribute.rules.js';

const MAX_PER_ACCOUNT = 100;

export interface AttributeDefinition {
  key: string;
  type: AttributeType;
  created_at: Date;
}

/** The defined attributes of an account's contacts (spec 3-marketing §1.2). */
@Injectable()
export class AttributeDefinitions {
  constructor(private readonly dataSource: DataSource) {}

  /** By key. */
  list(
    accountId: AccountId,
    database: Pick<EntityManager, 'query'> = this.dataSource.manager,
  ): Promise<AttributeDefinition[]> {
    return database.query(
      'select key, type, created_at from attribute_definitions where account_id = $1 order by key',
      [accountId],
    );
  }

  async types(accountId: AccountId, database?: Pick<EntityManager, 'query'>): Promise<AttributeTypes> {
    const definitions = await this.list(accountId, database);
    return new Map(definitions.map(({ key, type }) => [key, type]));
  }

  /** The same definition again is no error. @throws ApiError 401, 409 */
  create(
    accountId: AccountId,
    { key, type }: { key: string; type: AttributeType },
  ): Promise<AttributeDefinition> {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await tx.query(`select pg_advisory_xact_lock(hashtext('attributes of an account'), hashtext($1))`, [
        accountId,
      ]);
      const defined = await this.list(accountId, tx);
      const known = defined.find((definition) => definition.key === key);
      if (known?.type === type) return known;
      if (known) throw new ApiError(409, `the attribute '${key}' is a ${known.type}: a type never changes`);
      if (defined.length >= MAX_PER_ACCOUNT) {
        throw new ApiError(409, `the account has ${MAX_PER_ACCOUNT} attributes, more are not possible`);
      }
      const [created]: AttributeDefinition[] = await tx.query(
        `insert into attribute_definitions (account_id, key, type, created_at) values ($1, $2, $3, now())
         returning key, type, created_at`,
        [accountId, key, type],
      );
      if (!created) throw new Error('a definition was not stored');
      return created;
    });
  }

  /** Values in contacts stay and can be read. @throws ApiError 404 */
  async remove(accountId: AccountId, key: string): Promise<void> {
    const removed = await changedRows(
      this.dataSource,
      'delete from attribute_definitions where account_id = $1 and key = $2',
      [accountId, key],
    );
    if (removed === 0) throw ApiErrors.notFound('attribute');
  }
}
