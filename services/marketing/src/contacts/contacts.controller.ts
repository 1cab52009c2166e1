import { Body, Controller, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toFullPage, toPage, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { BatchContacts } from './batch-contacts.js';
import { contactResource, type Contact } from './contact.js';
import {
  BatchContactsBody,
  ContactErrors,
  CreateContactBody,
  readContactFilters,
  UpdateContactBody,
  type BatchResultResource,
  type ContactFilters,
} from './contact.schema.js';
import { ContactsRepository } from './contacts.repository.js';
import { CreateContact } from './create-contact.js';
import { DeleteContact } from './delete-contact.js';
import { UpdateContact } from './update-contact.js';

const RULES = { exactNumbersIn: ['attributes'] };

/** An account's contacts (spec 3-marketing §1). */
@Controller()
export class ContactsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly contacts: ContactsRepository,
    private readonly creation: CreateContact,
    private readonly change: UpdateContact,
    private readonly deletion: DeleteContact,
    private readonly batch: BatchContacts,
  ) {}

  @Operation('contacts.list')
  async list(
    @Call() { accountId }: ApiCall,
    @Query(query(parsePageQuery, readContactFilters)) [page, filters]: [PageQuery, ContactFilters],
  ): Promise<ApiResponse> {
    const rows = await this.contacts.page(this.dataSource, accountId, filters, page);
    return apiResponse(200, toFullPage(toPage(rows, page, contactResource), page));
  }

  @Operation('contacts.create')
  create(
    @Call() call: ApiCall,
    @Body(body(CreateContactBody, RULES)) input: CreateContactBody,
  ): Promise<ApiResponse> {
    const command = { accountId: call.accountId, input };
    return call.respond((remember) => this.creation.execute(command, remember), created);
  }

  @Operation('contacts.batch')
  applyBatch(
    @Call() call: ApiCall,
    @Body(body(BatchContactsBody, RULES)) { data }: BatchContactsBody,
  ): Promise<ApiResponse> {
    const command = { accountId: call.accountId, data };
    return call.respond((remember) => this.batch.execute(command, remember), applied);
  }

  @Operation('contacts.get')
  async get(@Call() call: ApiCall): Promise<ApiResponse> {
    const contact = await this.contacts.find(this.dataSource, call.accountId, call.param('id_or_email'));
    if (!contact) throw ContactErrors.notFound();
    return apiResponse(200, contactResource(contact));
  }

  @Operation('contacts.update')
  async update(
    @Call() call: ApiCall,
    @Body(body(UpdateContactBody, RULES)) input: UpdateContactBody,
  ): Promise<ApiResponse> {
    const idOrEmail = call.param('id_or_email');
    const contact = await this.change.execute({ accountId: call.accountId, idOrEmail, input });
    return apiResponse(200, contactResource(contact));
  }

  @Operation('contacts.delete')
  async delete(@Call() call: ApiCall): Promise<ApiResponse> {
    const idOrEmail = call.param('id_or_email');
    const { id, email } = await this.deletion.execute({ accountId: call.accountId, idOrEmail });
    return apiResponse(200, { message: `contact ${id} (${email}) deleted successfully` });
  }
}

const created = (contact: Contact): ApiResponse => apiResponse(201, contactResource(contact));
const applied = (result: BatchResultResource): ApiResponse => apiResponse(200, result);
