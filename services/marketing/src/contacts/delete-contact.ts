import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { forgetConsents } from '../consents/consent-records.js';
import { forgetRecipients } from '../results/forget-recipients.js';
import type { Contact } from './contact.js';
import { ContactErrors } from './contact.schema.js';
import { ContactsRepository } from './contacts.repository.js';

/**
 * `DELETE …/contacts/{id_or_email}`: deletes the contact and all of its data, in one transaction (spec 3-marketing
 * §1.5). Suppressions of its address belong to the messages service and stay.
 */
@Injectable()
export class DeleteContact {
  constructor(
    private readonly dataSource: DataSource,
    private readonly contacts: ContactsRepository,
  ) {}

  /** @throws ApiError 401 or 404 */
  async execute({ accountId, idOrEmail }: { accountId: AccountId; idOrEmail: string }): Promise<Contact> {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const contact = await this.contacts.lock(tx, accountId, idOrEmail);
      if (!contact) throw ContactErrors.notFound();
      // first, while it is known whether they were counted
      await tx.query('delete from memberships where contact_id = $1', [contact.id]);
      await forgetRecipients(tx, [contact.id]);
      await forgetConsents(tx, { id: contact.id, accountId, email: contact.email });
      await tx.query('delete from contacts where id = $1', [contact.id]);
      return contact;
    });
  }
}
