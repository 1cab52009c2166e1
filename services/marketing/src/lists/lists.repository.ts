import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { Counters } from '@postmesh/database';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/http';
import { ListErrors, type CountedListRow, type ListRow } from './list.schema.js';

type Database = Pick<DataSource | EntityManager, 'query'>;

/** `contact_count`, whose deltas are written by triggers (decision 53). */
export const CONTACT_COUNTS = new Counters({
  deltas: 'list_count_deltas',
  deltaKey: 'list_id',
  totals: 'lists',
  totalKey: 'id',
  sums: { contact_count: 'delta' },
});

/** SQL of the count of a row of `lists`. */
export const COUNT_OF_LIST = `(lists.contact_count + ${CONTACT_COUNTS.unfolded('contact_count', 'lists.id')})`;

const COUNTED = `lists.id, lists.created_at, lists.updated_at, lists.name, lists.description, lists.tags,
  ${COUNT_OF_LIST} as counted`;

const OWN = 'id = $1 and account_id = $2 and deleted_at is null';

/** Lists of an account that are not deleted. */
@Injectable()
export class ListsRepository {
  /** @throws ApiError 404 */
  async get(database: Database, accountId: string, id: string): Promise<CountedListRow> {
    return found(await database.query(`select ${COUNTED} from lists where ${OWN}`, [id, accountId]));
  }

  /**
   * Locks the list against deletion until the transaction ends; transactions that add to it do not wait for each other.
   * @throws ApiError 404
   */
  async hold(tx: EntityManager, accountId: string, id: string): Promise<void> {
    found(await tx.query(`select id from lists where ${OWN} for key share`, [id, accountId]));
  }

  /** Locks the list against additions, changes and use in a campaign until the transaction ends. @throws ApiError 404 */
  async lock(tx: EntityManager, accountId: string, id: string): Promise<ListRow> {
    return found(await tx.query(`select * from lists where ${OWN} for update`, [id, accountId]));
  }

  /** Newest first. @param name a part of the name, in any letter case */
  page(
    database: Database,
    { accountId, name }: { accountId: string; name: string | undefined },
    page: PageQuery,
  ): Promise<(CountedListRow & PageRow)[]> {
    const parameters: unknown[] = [accountId];
    const named = name ? ` and position(lower($${parameters.push(name)}) in lower(name)) > 0` : '';
    const text = `select ${COUNTED} from lists where account_id = $1 and deleted_at is null${named}`;
    const query = pageSql({ text, parameters }, page);
    return database.query(query.text, [...query.parameters]);
  }
}

function found<Row>([row]: Row[]): Row {
  if (row === undefined) throw ListErrors.notFound();
  return row;
}
