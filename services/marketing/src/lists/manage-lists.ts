import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import {
  ListErrors,
  type CountedListRow,
  type CreateListBody,
  type ListRow,
  type UpdateListBody,
} from './list.schema.js';
import { ListsRepository } from './lists.repository.js';

/** Adds a list. Names need not be unique. */
export async function insertList(
  tx: EntityManager,
  accountId: string,
  { name, description, tags }: CreateListBody,
): Promise<CountedListRow> {
  const now = new Date();
  const row = {
    ...{ id: newId(), created_at: now, updated_at: now, name },
    ...{ description: description ?? '', tags: tags ?? [], counted: '0' },
  };
  await tx.query(
    `insert into lists (id, account_id, created_at, updated_at, name, description, tags)
     values ($1, $2, $3, $3, $4, $5, $6)`,
    [row.id, accountId, now, row.name, row.description, row.tags],
  );
  return row;
}

/** `POST …/lists`. */
@Injectable()
export class CreateList {
  constructor(private readonly dataSource: DataSource) {}

  execute(
    { accountId, input }: { accountId: string; input: CreateListBody },
    remember: Remember<CountedListRow> = forgetResult,
  ): Promise<CountedListRow> {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const row = await insertList(tx, accountId, input);
      await remember(tx, row);
      return row;
    });
  }
}

/** `PUT …/lists/{id}`. */
@Injectable()
export class UpdateList {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ListsRepository,
  ) {}

  /** @throws ApiError 404 */
  execute(command: { accountId: string; id: string; input: UpdateListBody }): Promise<CountedListRow> {
    const { accountId, id, input } = command;
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const { name, description, tags } = await this.lists.lock(tx, accountId, id);
      const before = { name, description, tags };
      const after = {
        name: input.name ?? name,
        description: input.description ?? description,
        tags: input.tags ?? tags,
      };
      if (!isDeepStrictEqual(before, after)) {
        await tx.query(
          'update lists set name = $2, description = $3, tags = $4, updated_at = $5 where id = $1',
          [id, after.name, after.description, after.tags, new Date()],
        );
      }
      return this.lists.get(tx, accountId, id);
    });
  }
}

/**
 * `DELETE …/lists/{id}`: the list is no longer visible, its memberships stay, so that unsubscribes and complaints
 * outlive it.
 */
@Injectable()
export class DeleteList {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ListsRepository,
  ) {}

  /** @throws ApiError 404, or 409 while an unfinished campaign uses it */
  execute({ accountId, id }: { accountId: string; id: string }): Promise<ListRow> {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const list = await this.lists.lock(tx, accountId, id);
      if (await isInUse(tx, id)) throw ListErrors.inUse();
      await tx.query('update lists set deleted_at = $2 where id = $1', [id, new Date()]);
      return list;
    });
  }
}

async function isInUse(tx: EntityManager, listId: string): Promise<boolean> {
  const users: unknown[] = await tx.query(
    `select from campaign_lists join campaigns on id = campaign_id
      where list_id = $1 and status not in ('sent', 'failed', 'canceled') limit 1`,
    [listId],
  );
  return users.length > 0;
}
