import { Controller, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import { ConsentRecords } from './consent-records.js';
import { consentResource, ConsentsQuery } from './consent.schema.js';

/** The chain of consents, for members in the console (decision 153). */
@Controller()
export class ConsentsController {
  constructor(private readonly records: ConsentRecords) {}

  @Operation('consents.of-contact')
  async ofContact(@Call() { accountId }: ApiCall, @uuidParam('contact_id') id: string): Promise<ApiResponse> {
    const data = (await this.records.ofContact(accountId, id)).map(consentResource);
    return apiResponse(200, { object: 'list', data });
  }

  @Operation('consents.list')
  async list(
    @Call() { accountId }: ApiCall,
    @Query(query(ConsentsQuery)) { after = 0 }: ConsentsQuery,
  ): Promise<ApiResponse> {
    const data = (await this.records.page(accountId, after)).map(consentResource);
    const last = data.at(-1);
    const pagination = { has_more: last !== undefined, next_cursor: last ? String(last.seq) : null };
    return apiResponse(200, { object: 'list', data, pagination });
  }

  @Operation('consents.verify')
  async verify(
    @Call() { accountId }: ApiCall,
    @Query(query(ConsentsQuery)) { after = 0 }: ConsentsQuery,
  ): Promise<ApiResponse> {
    const { last, hash, hasMore, problem } = await this.records.verify(accountId, after);
    return apiResponse(200, { object: 'consent_verification', last, hash, has_more: hasMore, problem });
  }
}
