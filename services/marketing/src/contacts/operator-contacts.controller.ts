import { Controller, Get, Param } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { Internal, uuidParam } from '@postmesh/service-host';
import { wishesOf } from '../preferences/preferences.js';
import { readUnsubscribes } from './contact-unsubscribes.js';
import { contactResource } from './contact.js';
import { ContactErrors } from './contact.schema.js';
import { ContactsRepository } from './contacts.repository.js';

/** One contact for operators: with the record of its unsubscribes and its preferences, which v2 does not show. */
@Internal()
@Controller('operator/accounts/:account_id/contacts')
export class OperatorContactsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly contacts: ContactsRepository,
  ) {}

  @Get(':id_or_email')
  async get(
    @uuidParam('account_id') accountId: AccountId,
    @Param('id_or_email') idOrEmail: string,
  ): Promise<object> {
    const contact = await this.contacts.find(this.dataSource, accountId, idOrEmail);
    if (!contact) throw ContactErrors.notFound();
    const wishes = await wishesOf(this.dataSource, { accountId, contactId: contact.id });
    return {
      ...contactResource(contact),
      frequency: wishes?.frequency,
      paused_until: wishes?.pausedUntil ?? null,
      unsubscribes: await readUnsubscribes(this.dataSource, contact.id),
    };
  }
}
