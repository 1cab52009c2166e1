import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { readEntries, type AddedEntry, type Identifier } from './added-contacts.rules.js';
import type { ListedContact } from './listed-contact.js';
import { ListsRepository } from './lists.repository.js';
import type { MembershipRow } from './membership.schema.js';
import { MembershipsRepository } from './memberships.repository.js';

interface AddedContact {
  position: number;
  identifier: Identifier | undefined;
  outcome: 'added' | 'already_member' | 'not_found' | 'invalid';
  membership?: MembershipRow;
  reason?: string;
}
export type AddedContacts = readonly AddedContact[];

/**
 * `POST …/lists/{id}/contacts/batch`: adds existing contacts. An existing membership stays unchanged, with any
 * status, so that a batch cannot erase an unsubscribe. The same few statements for one entry and for a thousand.
 */
@Injectable()
export class AddContacts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ListsRepository,
    private readonly memberships: MembershipsRepository,
  ) {}

  /** @throws ApiError 404 for the list */
  execute(
    { accountId, listId, data }: { accountId: string; listId: string; data: readonly unknown[] },
    remember: Remember<AddedContacts> = forgetResult,
  ): Promise<AddedContacts> {
    const entries = readEntries(data);
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await this.lists.hold(tx, accountId, listId);
      const contacts = await heldContacts(tx, accountId, entries);
      const added = await insertMembers(tx, { accountId, listId, contacts });
      const memberships = await this.memberships.find(tx, listId, contacts);
      const results = outcomes(entries, { contacts, added, memberships });
      await remember(tx, results);
      return results;
    });
  }
}

/** The existing contacts, without duplicates, locked in the usual order of their ids. */
function heldContacts(
  tx: EntityManager,
  accountId: string,
  entries: readonly AddedEntry[],
): Promise<ListedContact[]> {
  const named = entries.flatMap(({ identifier, reason }) => (identifier && !reason ? [identifier] : []));
  return tx.query(
    `select id, email from contacts
      where account_id = $1 and id = any($2::uuid[] || array(
        select id from contacts where account_id = $1 and email = any($3)))
      order by id for share`,
    [accountId, named.flatMap(({ id }) => id ?? []), named.flatMap(({ email }) => email ?? [])],
  );
}

/** @param contacts locked by this transaction. @returns the ids of those that were not on the list */
export async function insertMembers(
  tx: EntityManager,
  {
    accountId,
    listId,
    contacts,
  }: { accountId: string; listId: string; contacts: readonly Pick<ListedContact, 'id'>[] },
): Promise<Set<string>> {
  const rows: { contact_id: string }[] = await tx.query(
    `insert into memberships (list_id, contact_id, account_id, subscription_status, subscribed_at, created_at,
       updated_at)
     select $1, contact_id, $2, 'confirmed', $4, $4, $4 from unnest($3::uuid[]) as named(contact_id)
     on conflict do nothing returning contact_id`,
    [listId, accountId, contacts.map(({ id }) => id), new Date()],
  );
  return new Set(rows.map(({ contact_id }) => contact_id));
}

interface Found {
  contacts: readonly ListedContact[];
  /** ids of contacts that were not on the list before */
  added: Set<string>;
  memberships: readonly MembershipRow[];
}

/** A contact named both by its id and by its email is added by the first entry. */
function outcomes(entries: readonly AddedEntry[], { contacts, added, memberships }: Found): AddedContact[] {
  const ids = new Map(contacts.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
  const members = new Map(memberships.map((row) => [row.contact_id, row]));
  const isNew = new Set(added);
  return entries.map(({ position, identifier, reason }) => {
    if (!identifier || reason !== undefined) {
      return { position, identifier, outcome: 'invalid', reason: reason ?? 'invalid entry' };
    }
    const membership = members.get(ids.get(identifier.id ?? identifier.email) ?? '');
    if (!membership) return { position, identifier, outcome: 'not_found', reason: 'contact not found' };
    const outcome = isNew.delete(membership.contact_id) ? 'added' : 'already_member';
    return { position, identifier, outcome, membership };
  });
}
