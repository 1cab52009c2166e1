import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError, type EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { AttributeDefinitions } from './attributes/attribute-definitions.js';
import { readAttributes } from './attributes/attribute.rules.js';
import { changedContact } from './contact-change.rules.js';
import { recordUnsubscribes } from './contact-unsubscribes.js';
import type { Contact } from './contact.js';
import { ContactErrors, type UpdateContactBody } from './contact.schema.js';
import { ContactsRepository } from './contacts.repository.js';

export interface UpdateContactCommand {
  accountId: AccountId;
  idOrEmail: string;
  input: UpdateContactBody;
}

const UNIQUE_VIOLATION = '23505';

/** `PUT …/contacts/{id_or_email}` (spec 3-marketing §1.3). */
@Injectable()
export class UpdateContact {
  constructor(
    private readonly dataSource: DataSource,
    private readonly definitions: AttributeDefinitions,
    private readonly contacts: ContactsRepository,
  ) {}

  /** @throws ApiError 400, 401, 404 or 409 */
  async execute({ accountId, idOrEmail, input }: UpdateContactCommand): Promise<Contact> {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const attributes = readAttributes(await this.definitions.types(accountId, tx), input.attributes);
      const contact = await this.contacts.lock(tx, accountId, idOrEmail);
      if (!contact) throw ContactErrors.notFound();
      const after = changedContact(contact, { ...input, attributes }, new Date());
      if (after !== contact) await this.store(tx, contact, after);
      return after;
    });
  }

  private async store(tx: EntityManager, contact: Contact, after: Contact): Promise<void> {
    try {
      await this.contacts.update(tx, [after]);
    } catch (error) {
      const { code } = error instanceof QueryFailedError ? (error.driverError as { code?: string }) : {};
      throw code === UNIQUE_VIOLATION ? ContactErrors.taken() : error;
    }
    if (after.unsubscribed === contact.unsubscribed) return;
    const flip = { contactId: contact.id, unsubscribed: after.unsubscribed, createdAt: after.updated_at };
    await recordUnsubscribes(tx, [{ ...flip, source: 'account' }]);
  }
}
