import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { pageSql, type PageQuery, type PageRow, type Sql } from '@postmesh/http';
import { CONTACT_FIELD_NAMES } from '../contacts/contact-fields.table.js';
import type { Contact } from '../contacts/contact.js';
import type { ListedContact } from './listed-contact.js';
import type { ListRow } from './list.schema.js';
import type { SubscriptionStatus } from './membership.rules.js';
import type { MembershipRow } from './membership.schema.js';

type Database = Pick<DataSource | EntityManager, 'query'>;

const COLUMNS = `list_id, contact_id, subscription_status, subscribed_at, unsubscribed_at, created_at, updated_at`;

const LIST_COLUMNS = ['id', 'created_at', 'updated_at', 'name', 'description', 'tags'];
/** prefix of the columns of the other table */
const OTHER = 'other.';

export interface MembersOfList {
  accountId: string;
  listId: string;
  status: SubscriptionStatus | undefined;
  email: string | undefined;
}

export type MemberRow = MembershipRow & PageRow & { contact: Contact };
export type ListOfContact = MembershipRow & PageRow & { list: ListRow };

/** Rows of the table `memberships`. A write locks their contacts first (ADR 53). */
@Injectable()
export class MembershipsRepository {
  /** The member of a list, locked until the transaction ends. @param contact is locked, too */
  async lock(tx: EntityManager, listId: string, contact: ListedContact): Promise<MembershipRow | undefined> {
    const [row] = await this.find(tx, listId, [contact], 'for update');
    return row;
  }

  /** The contacts' memberships of the list. */
  async find(
    tx: EntityManager,
    listId: string,
    contacts: readonly ListedContact[],
    lock: '' | 'for update' = '',
  ): Promise<MembershipRow[]> {
    const emails = new Map(contacts.map(({ id, email }) => [id, email]));
    const rows: Omit<MembershipRow, 'email'>[] = await tx.query(
      `select ${COLUMNS} from memberships where list_id = $1 and contact_id = any($2) ${lock}`,
      [listId, [...emails.keys()]],
    );
    return rows.map((row) => ({ ...row, email: emails.get(row.contact_id) ?? '' }));
  }

  /** Members of a list, newest first, each with its contact. */
  async members(
    database: Database,
    { accountId, listId, status, email }: MembersOfList,
    page: PageQuery,
  ): Promise<MemberRow[]> {
    const parameters: unknown[] = [listId];
    const conditions = ['list_id = $1'];
    if (status) conditions.push(`subscription_status = $${parameters.push(status)}`);
    if (email) {
      const [account, address] = [parameters.push(accountId), parameters.push(email)];
      conditions.push(
        `contact_id = (select id from contacts where account_id = $${account} and email = $${address})`,
      );
    }
    const text = `select contact_id as id, ${COLUMNS} from memberships where ${conditions.join(' and ')}`;
    const joined = { table: 'contacts', key: 'contact_id', columns: CONTACT_FIELD_NAMES };
    const rows = await pageWith<Contact>(database, { text, parameters }, page, joined);
    return rows.map(({ other, ...row }) => ({ ...row, email: other.email, contact: other }));
  }

  /** Lists of a contact that are not deleted, the newest membership first. */
  async listsOf(
    database: Database,
    { contact, status }: { contact: ListedContact; status: SubscriptionStatus | undefined },
    page: PageQuery,
  ): Promise<ListOfContact[]> {
    const parameters: unknown[] = [contact.id];
    const named = status ? `and subscription_status = $${parameters.push(status)}` : '';
    const text = `select list_id as id, ${COLUMNS} from memberships where contact_id = $1 ${named}
      and exists (select from lists where lists.id = list_id and deleted_at is null)`;
    const joined = { table: 'lists', key: 'list_id', columns: LIST_COLUMNS };
    const rows = await pageWith<ListRow>(database, { text, parameters }, page, joined);
    return rows.map(({ other, ...row }) => ({ ...row, email: contact.email, list: other }));
  }
}

/**
 * A page of memberships, each with one row of another table, read by its id after the page is cut, so that no plan can
 * read more of that table.
 */
async function pageWith<Other>(
  database: Database,
  list: Sql,
  page: PageQuery,
  { table, key, columns }: { table: string; key: string; columns: readonly string[] },
): Promise<(Omit<MembershipRow, 'email'> & PageRow & { other: Other })[]> {
  const { text, parameters } = pageSql(list, page);
  const others = columns.map((name) => `${table}.${name} as "${OTHER}${name}"`).join(', ');
  const order = page.before === undefined ? 'desc' : 'asc';
  const rows: Record<string, unknown>[] = await database.query(
    `select page.*, ${others} from (${text}) as page join ${table} on ${table}.id = page.${key}
      order by page.created_at ${order}, page.id ${order}`,
    [...parameters],
  );
  return rows.map((row) => {
    const entries = Object.entries(row);
    const own = entries.filter(([name]) => !name.startsWith(OTHER));
    const other = entries.flatMap(([name, value]) =>
      name.startsWith(OTHER) ? [[name.slice(OTHER.length), value] as const] : [],
    );
    return { ...Object.fromEntries(own), other: Object.fromEntries(other) } as never;
  });
}
