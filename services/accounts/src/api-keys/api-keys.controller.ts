import { Controller } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, parseBody, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toPage } from '@postmesh/pagination';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { apiKeyResource } from './api-key.resource.js';
import { API_KEY_BODY_RULES, CreateApiKeyBody, UpdateApiKeyBody } from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { CreateApiKey } from './create-api-key.js';
import { DeleteApiKey } from './delete-api-key.js';
import { UpdateApiKey } from './update-api-key.js';

/** An account's own keys (spec 1-platform §9). */
@Controller()
export class ApiKeysController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly keys: ApiKeysRepository,
    private readonly creation: CreateApiKey,
    private readonly change: UpdateApiKey,
    private readonly deletion: DeleteApiKey,
  ) {}

  @Operation('api-keys.list')
  async list(@Call() call: ApiCall): Promise<ApiResponse> {
    const page = parsePageQuery(call.query);
    const rows = await this.keys.page(this.dataSource.manager, call.accountId, page);
    return apiResponse(200, toPage(rows, page, apiKeyResource));
  }

  @Operation('api-keys.create')
  create(@Call() call: ApiCall): Promise<ApiResponse> {
    const input = parseBody(CreateApiKeyBody, call.body(), API_KEY_BODY_RULES);
    const order = { accountId: call.accountId, input, actor: actorOf(call) };
    return this.creation.execute(order, async (manager, key) => {
      const given = apiResponse(201, key, { secret: true });
      await call.remember(manager, given);
      return given;
    });
  }

  @Operation('api-keys.get')
  async get(@Call() call: ApiCall): Promise<ApiResponse> {
    const keyId = call.uuidParam('key_id');
    const row = await this.keys.find(this.dataSource.manager, call.accountId, keyId);
    if (!row) throw ApiErrors.notFound('api key');
    return apiResponse(200, apiKeyResource(row));
  }

  @Operation('api-keys.update')
  async update(@Call() call: ApiCall): Promise<ApiResponse> {
    const keyId = call.uuidParam('key_id');
    const input = parseBody(UpdateApiKeyBody, call.body(), API_KEY_BODY_RULES);
    const self = keyId === call.principal.key_id ? { clientIp: call.clientIp } : undefined;
    const order = { accountId: call.accountId, keyId, input, actor: actorOf(call), self };
    return apiResponse(200, await this.change.execute(order));
  }

  @Operation('api-keys.delete')
  async delete(@Call() call: ApiCall): Promise<ApiResponse> {
    const keyId = call.uuidParam('key_id');
    const order = { accountId: call.accountId, keyId, actor: actorOf(call) };
    const { label } = await this.deletion.execute(order);
    return apiResponse(200, { message: `api key ${keyId} (${label}) deleted successfully` });
  }
}

const actorOf = (call: ApiCall) => ({ kind: 'api-key' as const, id: call.principal.key_id });
