import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { PublicListBody, type PublicListResource } from './public-list.schema.js';
import { PublicLists } from './public-lists.js';

/** Whether a list is in the preference centre, for members in the console. */
@Controller()
export class PublicListsController {
  constructor(private readonly lists: PublicLists) {}

  @Operation('public-lists.get')
  async get(@Call() { accountId }: ApiCall, @uuidParam('list_id') id: string): Promise<ApiResponse> {
    return apiResponse(200, resourceOf(id, await this.lists.get(accountId, id)));
  }

  @Operation('public-lists.put')
  async put(
    @Call() { accountId }: ApiCall,
    @uuidParam('list_id') id: string,
    @Body(body(PublicListBody)) input: PublicListBody,
  ): Promise<ApiResponse> {
    await this.lists.put(accountId, id, input);
    return apiResponse(200, resourceOf(id, await this.lists.get(accountId, id)));
  }
}

const resourceOf = (list_id: string, list: PublicListBody): PublicListResource => ({
  object: 'public_list',
  list_id,
  ...list,
});
