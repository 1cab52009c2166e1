import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import type { AccountId, ApiKeyId } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { body, Internal, OperatorName, query, uuidParam } from '@postmesh/service-host';
import {
  API_KEY_BODY_RULES,
  apiKeyResource,
  CreateApiKeyBody,
  createdApiKeyResource,
} from '../api-keys/api-key.schema.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { CreateApiKey } from '../api-keys/create-api-key.js';
import { DeleteApiKey } from '../api-keys/delete-api-key.js';
import { operatorActor } from '../audit/audit-log.js';
import { presentPage } from '../database/entity-page.js';
import { OperatorAccountsView } from './operator-accounts.view.js';

/** Keys of any account in the operator interface, by the same rules as an account's own. */
@Controller('operator/accounts/:account_id/api-keys')
@Internal()
export class OperatorApiKeysController {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly createApiKey: CreateApiKey,
    private readonly deleteApiKey: DeleteApiKey,
    private readonly view: OperatorAccountsView,
  ) {}

  @Get()
  async list(@uuidParam('account_id') id: AccountId, @Query(query(parsePageQuery)) page: PageQuery) {
    await this.view.show(id);
    return presentPage(await this.keys.page(id, page), ({ entity }) => apiKeyResource(entity));
  }

  @Post()
  async create(
    @OperatorName() operator: string,
    @uuidParam('account_id') id: AccountId,
    @Body(body(CreateApiKeyBody, API_KEY_BODY_RULES)) input: CreateApiKeyBody,
  ) {
    const command = { owner: { id }, input, actor: operatorActor(operator) };
    return createdApiKeyResource(await this.createApiKey.execute(command));
  }

  @Delete(':key_id')
  async delete(
    @OperatorName() operator: string,
    @uuidParam('account_id') id: AccountId,
    @uuidParam('key_id') keyId: ApiKeyId,
  ) {
    const command = { owner: { id }, keyId, actor: operatorActor(operator) };
    const { label } = await this.deleteApiKey.execute(command);
    return { message: `api key ${keyId} (${label}) deleted successfully` };
  }
}
