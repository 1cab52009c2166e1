import { Controller } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { preferencesResource } from './contact-preferences.schema.js';
import { wishesOf } from './preferences.js';

/** The choices of a contact in its preference centre, for members in the console. */
@Controller()
export class ContactPreferencesController {
  constructor(private readonly dataSource: DataSource) {}

  @Operation('contact-preferences.get')
  async get(
    @Call() { accountId }: ApiCall,
    @uuidParam('contact_id') contactId: string,
  ): Promise<ApiResponse> {
    const found = await wishesOf(this.dataSource, { accountId, contactId });
    if (!found) throw ApiErrors.notFound('contact');
    return apiResponse(200, preferencesResource(contactId, found));
  }
}
