import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { AttributeDefinitions } from './attributes/attribute-definitions.js';
import { readNewAttributes } from './attributes/attribute.rules.js';
import { newContact } from './contact-change.rules.js';
import { recordUnsubscribes } from './contact-unsubscribes.js';
import type { Contact } from './contact.js';
import { ContactErrors, type CreateContactBody } from './contact.schema.js';
import { ContactsRepository } from './contacts.repository.js';

export interface CreateContactCommand {
  accountId: AccountId;
  input: CreateContactBody;
}

/** `POST …/contacts` (spec 3-marketing §1.3). */
@Injectable()
export class CreateContact {
  constructor(
    private readonly dataSource: DataSource,
    private readonly definitions: AttributeDefinitions,
    private readonly contacts: ContactsRepository,
  ) {}

  /** @throws ApiError 400, 401 or 409 */
  execute(
    { accountId, input }: CreateContactCommand,
    remember: Remember<Contact> = forgetResult,
  ): Promise<Contact> {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const attributes = readNewAttributes(await this.definitions.types(accountId, tx), input.attributes);
      const contact = newContact(accountId, { ...input, attributes }, new Date());
      const added = await this.contacts.insert(tx, [contact]);
      if (added.size === 0) throw ContactErrors.taken();
      if (contact.unsubscribed) {
        const flip = { contactId: contact.id, unsubscribed: true, createdAt: contact.created_at };
        await recordUnsubscribes(tx, [{ ...flip, source: 'account' }]);
      }
      await remember(tx, contact);
      return contact;
    });
  }
}
