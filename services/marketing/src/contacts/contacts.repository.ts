import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { Uuid, type AccountId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/http';
import { readContactEmail } from './contact-email.rules.js';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type ContactFieldName } from './contact-fields.table.js';
import { CONTACT_COLUMNS, type Contact } from './contact.js';
import type { ContactFilters } from './contact.schema.js';

type Database = Pick<DataSource | EntityManager, 'query'>;

const COLUMNS = Object.fromEntries(
  CONTACT_FIELD_NAMES.map((name) => [
    name,
    [CONTACT_FIELDS[name].sql, (contact: Contact) => contact[name]] as const,
  ]),
);

/**
 * The contact that `{id_or_email}` of a path names: an id in UUID form, else an address in any spelling (spec 3-marketing
 * §0 rule 11).
 * @param lock held until the transaction ends
 */
export async function findContact(
  database: Database,
  { accountId, idOrEmail }: { accountId: string; idOrEmail: string },
  lock: '' | 'for share' | 'for no key update' | 'for update' = '',
): Promise<Contact | undefined> {
  const id = Uuid.safeParse(idOrEmail);
  const wanted = id.success ? id.data : readContactEmail(idOrEmail);
  if (wanted === undefined) return undefined;
  const rows: Contact[] = await database.query(
    `select ${CONTACT_COLUMNS} from contacts where account_id = $1 and ${id.success ? 'id' : 'email'} = $2 ${lock}`,
    [accountId, wanted],
  );
  return rows[0];
}

/** Rows of the table `contacts`. */
@Injectable()
export class ContactsRepository {
  async find(database: Database, accountId: AccountId, idOrEmail: string): Promise<Contact | undefined> {
    return findContact(database, { accountId, idOrEmail });
  }

  /** The same, locked until the transaction ends. */
  async lock(tx: EntityManager, accountId: AccountId, idOrEmail: string): Promise<Contact | undefined> {
    return findContact(tx, { accountId, idOrEmail }, 'for update');
  }

  /**
   * The account's contacts with these addresses, locked in the order of their ids, like in every transaction that
   * changes contacts.
   */
  lockSome(tx: EntityManager, accountId: AccountId, emails: readonly string[]): Promise<Contact[]> {
    return tx.query(
      `select ${CONTACT_COLUMNS} from contacts where account_id = $1 and email = any($2::text[]) order by id for update`,
      [accountId, emails],
    );
  }

  /** The account's contacts with these addresses. */
  some(database: Database, accountId: AccountId, emails: readonly string[]): Promise<Contact[]> {
    return database.query(
      `select ${CONTACT_COLUMNS} from contacts where account_id = $1 and email = any($2::text[])`,
      [accountId, emails],
    );
  }

  /**
   * In the order of addresses, so that two transactions that add the same ones cannot deadlock.
   * @returns the addresses that were free; nothing is written for the others
   */
  async insert(tx: EntityManager, contacts: readonly Contact[]): Promise<ReadonlySet<string>> {
    const sorted = contacts.toSorted((a, b) => (a.email < b.email ? -1 : 1));
    const added = await insertRows<Contact, string, { email: string }>(tx, 'contacts', COLUMNS, sorted, {
      onConflict: '(account_id, email) do nothing',
      returning: 'email',
    });
    return new Set(added.map(({ email }) => email));
  }

  /** @param contacts locked by this transaction */
  async update(tx: EntityManager, contacts: readonly Contact[]): Promise<void> {
    if (contacts.length > 0) await tx.query(UPDATE, [JSON.stringify(contacts)]);
  }

  /** Newest first. */
  page(
    database: Database,
    accountId: AccountId,
    filters: ContactFilters,
    page: PageQuery,
  ): Promise<(Contact & PageRow)[]> {
    const parameters: unknown[] = [accountId];
    const conditions = ['account_id = $1'];
    const narrow = (condition: string, value: unknown) => {
      if (value !== undefined) conditions.push(`${condition} $${parameters.push(value)}`);
    };
    narrow('email =', filters.email);
    narrow('status =', filters.status);
    if (filters.unsubscribed !== undefined) {
      // the literal condition, so that the partial index of unsubscribed contacts is used
      conditions.push(filters.unsubscribed ? 'unsubscribed' : 'not unsubscribed');
    }
    narrow('created_at >=', filters.from);
    narrow('created_at <=', filters.to);
    const text = `select ${CONTACT_COLUMNS} from contacts where ${conditions.join(' and ')}`;
    const query = pageSql({ text, parameters }, page);
    return database.query(query.text, [...query.parameters]);
  }
}

const FIXED: readonly ContactFieldName[] = ['id', 'account_id', 'created_at'];
const CHANGING = CONTACT_FIELD_NAMES.filter((name) => !FIXED.includes(name));
const UPDATE = `update contacts c set ${CHANGING.map((column) => `${column} = given.${column}`).join(', ')}
  from jsonb_populate_recordset(null::contacts, $1::jsonb) as given where c.id = given.id`;
