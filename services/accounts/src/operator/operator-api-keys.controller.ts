import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { parseBody, ApiErrors, Uuid } from '@postmesh/contracts';
import { parsePageQuery, toPage } from '@postmesh/pagination';
import { Internal, OperatorName } from '@postmesh/service-host';
import { apiKeyResource } from '../api-keys/api-key.resource.js';
import { API_KEY_BODY_RULES, CreateApiKeyBody } from '../api-keys/api-key.schema.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { CreateApiKey } from '../api-keys/create-api-key.js';
import { DeleteApiKey } from '../api-keys/delete-api-key.js';
import { readJson } from '../internal-requests/parse-internal.js';
import { OperatorAccountsView } from './operator-accounts.view.js';
import { operatorActor, readAccountId } from './operator-request.js';

/** Keys of any account in the operator interface, by the same rules as an account's own. */
@Controller('operator/accounts/:account_id/api-keys')
@Internal()
export class OperatorApiKeysController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly keys: ApiKeysRepository,
    private readonly creation: CreateApiKey,
    private readonly deletion: DeleteApiKey,
    private readonly view: OperatorAccountsView,
  ) {}

  @Get()
  async list(@Param('account_id') accountId: string, @Query() query: Record<string, unknown>) {
    const page = parsePageQuery(query);
    const { id } = await this.view.show(readAccountId(accountId));
    const rows = await this.keys.page(this.dataSource.manager, id, page);
    return toPage(rows, page, apiKeyResource);
  }

  @Post()
  create(@OperatorName() operator: string, @Param('account_id') accountId: string, @Body() body: unknown) {
    const input = parseBody(CreateApiKeyBody, readJson(body), API_KEY_BODY_RULES);
    const order = { accountId: readAccountId(accountId), input, actor: operatorActor(operator) };
    return this.creation.execute(order, (_manager, key) => Promise.resolve(key));
  }

  @Delete(':key_id')
  async delete(
    @OperatorName() operator: string,
    @Param('account_id') accountId: string,
    @Param('key_id') keyId: string,
  ) {
    const key = Uuid.safeParse(keyId);
    if (!key.success) throw ApiErrors.invalidParameter('key_id');
    const order = { accountId: readAccountId(accountId), keyId: key.data, actor: operatorActor(operator) };
    const { label } = await this.deletion.execute(order);
    return { message: `api key ${key.data} (${label}) deleted successfully` };
  }
}
