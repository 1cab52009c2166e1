import type { DataSource, EntityManager } from 'typeorm';
import type { Contact } from '../contacts/contact.js';
import { ContactErrors } from '../contacts/contact.schema.js';
import { findContact } from '../contacts/contacts.repository.js';

/** The fields of a contact for its memberships. */
export type ListedContact = Pick<Contact, 'id' | 'email'>;

/**
 * The contact that `{id_or_email}` of a path names (spec 3-marketing §0 rule 11).
 * @param lock shared for adding to a list, exclusive for removing from one (ADR 53)
 * @throws ApiError 404, also for an invalid address
 */
export async function findListedContact(
  database: Pick<DataSource | EntityManager, 'query'>,
  named: { accountId: string; idOrEmail: string },
  lock: '' | 'for share' | 'for no key update' = '',
): Promise<ListedContact> {
  const contact = await findContact(database, named, lock);
  if (!contact) throw ContactErrors.notFound();
  return contact;
}
