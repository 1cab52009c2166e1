import { Controller } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, parseBody, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toPage } from '@postmesh/pagination';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { apiKeyResource } from '../../api-keys/api-key.resource.js';
import { API_KEY_BODY_RULES, CreateApiKeyBody, UpdateApiKeyBody } from '../../api-keys/api-key.schema.js';
import { ApiKeysRepository } from '../../api-keys/api-keys.repository.js';
import { CreateApiKey } from '../../api-keys/create-api-key.js';
import { DeleteApiKey } from '../../api-keys/delete-api-key.js';
import { UpdateApiKey } from '../../api-keys/update-api-key.js';
import { actorOf, childOf } from '../sub-accounts.controller.js';
import { SubAccountsRepository, type ChildOf } from '../sub-accounts.repository.js';

/** A child's keys in the hands of its parent (spec 1-platform §10.3). No key here can be the caller's own. */
@Controller()
export class SubAccountApiKeysController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly children: SubAccountsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly creation: CreateApiKey,
    private readonly change: UpdateApiKey,
    private readonly deletion: DeleteApiKey,
  ) {}

  @Operation('sub-account-api-keys.list')
  async list(@Call() call: ApiCall): Promise<ApiResponse> {
    const child = childOf(call);
    const page = parsePageQuery(call.query);
    const { accountId } = await this.ownerOf(child);
    const rows = await this.keys.page(this.dataSource.manager, accountId, page);
    return apiResponse(200, toPage(rows, page, apiKeyResource));
  }

  @Operation('sub-account-api-keys.create')
  async create(@Call() call: ApiCall): Promise<ApiResponse> {
    const child = childOf(call);
    const input = parseBody(CreateApiKeyBody, call.body(), API_KEY_BODY_RULES);
    // it acts for the child, so nobody of the parent's members is behind it
    const order = { ...(await this.ownerOf(child)), input, actor: actorOf(call), createdBy: null };
    return this.creation.execute(order, async (manager, key) => {
      const given = apiResponse(201, key, { secret: true });
      await call.remember(manager, given);
      return given;
    });
  }

  @Operation('sub-account-api-keys.get')
  async get(@Call() call: ApiCall): Promise<ApiResponse> {
    const [child, keyId] = [childOf(call), call.uuidParam('key_id')];
    const { accountId } = await this.ownerOf(child);
    const row = await this.keys.find(this.dataSource.manager, accountId, keyId);
    if (!row) throw ApiErrors.notFound('api key');
    return apiResponse(200, apiKeyResource(row));
  }

  @Operation('sub-account-api-keys.update')
  async update(@Call() call: ApiCall): Promise<ApiResponse> {
    const [child, keyId] = [childOf(call), call.uuidParam('key_id')];
    const input = parseBody(UpdateApiKeyBody, call.body(), API_KEY_BODY_RULES);
    const order = { ...(await this.ownerOf(child)), keyId, input, actor: actorOf(call) };
    return apiResponse(200, await this.change.execute(order));
  }

  @Operation('sub-account-api-keys.delete')
  async delete(@Call() call: ApiCall): Promise<ApiResponse> {
    const [child, keyId] = [childOf(call), call.uuidParam('key_id')];
    const order = { ...(await this.ownerOf(child)), keyId, actor: actorOf(call) };
    const { label } = await this.deletion.execute(order);
    return apiResponse(200, { message: `api key ${keyId} (${label}) deleted successfully` });
  }

  /** @throws ApiError 404 `sub account not found` */
  private async ownerOf(child: ChildOf) {
    const { id } = await this.children.find(this.dataSource.manager, child);
    return { accountId: id, ownerIs: 'sub account' as const };
  }
}
