import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, type ApiCall } from '@postmesh/service-host';
import { ContactBatchBody } from './contact-batch.schema.js';
import { ImportForeignContacts } from './import-foreign-contacts.js';

/** Imports of contacts of other services in the console, which sends a file in parts. */
@Controller()
export class ContactBatchesController {
  constructor(private readonly imports: ImportForeignContacts) {}

  @Operation('contact-batches.create')
  async create(
    @Call() { accountId }: ApiCall,
    @Body(body(ContactBatchBody)) given: ContactBatchBody,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.imports.execute(accountId, given, { isDryRun: false }));
  }

  @Operation('contact-batches.preview')
  async preview(
    @Call() { accountId }: ApiCall,
    @Body(body(ContactBatchBody)) given: ContactBatchBody,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.imports.execute(accountId, given, { isDryRun: true }));
  }
}
