import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { ListsRepository } from '../lists/lists.repository.js';
import { MAX_PUBLIC_LISTS, tooManyPublicLists, type PublicListBody } from './public-list.schema.js';

/** Lists that contacts see in their preference centre, under a name of its own. */
@Injectable()
export class PublicLists {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ListsRepository,
  ) {}

  /** @throws ApiError 404 */
  async get(accountId: string, listId: string): Promise<PublicListBody> {
    await this.lists.get(this.dataSource, accountId, listId);
    const [row]: { title: string }[] = await this.dataSource.query(
      'select title from public_lists where list_id = $1 and account_id = $2',
      [listId, accountId],
    );
    return { is_public: row !== undefined, title: row?.title ?? '' };
  }

  /** @throws ApiError 404 or 409 */
  async put(
    accountId: string,
    listId: string,
    { is_public: isPublic, title }: PublicListBody,
  ): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await this.lists.lock(tx, accountId, listId);
      if (!isPublic) {
        await tx.query('delete from public_lists where list_id = $1', [listId]);
        return;
      }
      await tx.query(
        `insert into public_lists (list_id, account_id, title) values ($1, $2, $3)
         on conflict (list_id) do update set title = excluded.title`,
        [listId, accountId, title],
      );
      const [{ count }]: [{ count: number }] = await tx.query(
        'select count(*)::int as count from public_lists where account_id = $1',
        [accountId],
      );
      if (count > MAX_PUBLIC_LISTS) throw tooManyPublicLists();
    });
  }
}
