import { Body, Controller, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toFullPage, toPage, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, uuidParam, type ApiCall, type Remember } from '@postmesh/service-host';
import {
  CreateListBody,
  listResource,
  type CountedListRow,
  ListListsQuery,
  UpdateListBody,
} from './list.schema.js';
import { ListsRepository } from './lists.repository.js';
import { CreateList, DeleteList, UpdateList } from './manage-lists.js';

/** An account's lists of contacts (spec 3-marketing §2.3). */
@Controller()
export class ListsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ListsRepository,
    private readonly creation: CreateList,
    private readonly change: UpdateList,
    private readonly deletion: DeleteList,
  ) {}

  @Operation('lists.list')
  async list(
    @Call() { accountId }: ApiCall,
    @Query(query(parsePageQuery, ListListsQuery)) [page, { name }]: [PageQuery, ListListsQuery],
  ): Promise<ApiResponse> {
    const rows = await this.lists.page(this.dataSource, { accountId, name }, page);
    return apiResponse(200, toFullPage(toPage(rows, page, listResource), page));
  }

  @Operation('lists.create')
  create(@Call() call: ApiCall, @Body(body(CreateListBody)) input: CreateListBody): Promise<ApiResponse> {
    const command = { accountId: call.accountId, input };
    return call.respond(
      (remember: Remember<CountedListRow>) => this.creation.execute(command, remember),
      (list) => apiResponse(201, listResource(list)),
    );
  }

  @Operation('lists.get')
  async get(@Call() { accountId }: ApiCall, @uuidParam('list_id') id: string): Promise<ApiResponse> {
    return apiResponse(200, listResource(await this.lists.get(this.dataSource, accountId, id)));
  }

  @Operation('lists.update')
  async update(
    @Call() { accountId }: ApiCall,
    @uuidParam('list_id') id: string,
    @Body(body(UpdateListBody)) input: UpdateListBody,
  ): Promise<ApiResponse> {
    return apiResponse(200, listResource(await this.change.execute({ accountId, id, input })));
  }

  @Operation('lists.delete')
  async delete(@Call() { accountId }: ApiCall, @uuidParam('list_id') id: string): Promise<ApiResponse> {
    const { name } = await this.deletion.execute({ accountId, id });
    return apiResponse(200, { message: `list ${id} (${name}) deleted successfully` });
  }
}
