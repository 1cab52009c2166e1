import { Controller, Get, Param } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { Internal, uuidParam } from '@postmesh/service-host';
import { readUnsubscribes } from './contact-unsubscribes.js';
import { contactResource } from './contact.js';
import { ContactErrors } from './contact.schema.js';
import { ContactsRepository } from './contacts.repository.js';

/** One contact for operators: with the record of its unsubscribes, which v2 does not show. */
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
    return {
      ...contactResource(contact),
      unsubscribes: await readUnsubscribes(this.dataSource, contact.id),
    };
  }
}
