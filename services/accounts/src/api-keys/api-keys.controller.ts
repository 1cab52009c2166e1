import { Body, Controller, Query, type PipeTransform, type Type } from '@nestjs/common';
import { apiResponse, ApiKeyId, type AccountId, type ApiResponse, type Principal } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import {
  type AccountRef,
  accountRef,
  accountRefOf,
  AccountsRepository,
} from '../account/accounts.repository.js';
import { actorOf } from '../audit/audit-log.js';
import { presentPage } from '../database/entity-page.js';
import {
  API_KEY_BODY_RULES,
  apiKeyResource,
  createdApiKeyResource,
  CreateApiKeyBody,
  UpdateApiKeyBody,
} from './api-key.schema.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { CreateApiKey, type CreatedApiKey } from './create-api-key.js';
import { DeleteApiKey } from './delete-api-key.js';
import { requireGrantable } from './granted-scopes.rules.js';
import { UpdateApiKey } from './update-api-key.js';

interface KeyRef {
  readonly owner: AccountRef;
  readonly keyId: ApiKeyId;
}

/** `@Call(keyRef) key`: the key that the path names. */
const keyRef: PipeTransform<ApiCall, KeyRef> = {
  transform: (call) => ({ owner: accountRefOf(call), keyId: ApiKeyId.parse(call.uuidParam('key_id')) }),
};

/** A stored response has the secret of the key: only a member who may grant its scopes gets it again. */
const beforeReplay = (principal: Principal, given: unknown): void => {
  const body = CreateApiKeyBody.safeParse(given);
  if (body.success) requireGrantable(principal, body.data.scopes);
};

/**
 * An account's own keys (spec 1-platform §9) and those of its sub-accounts (§10.3): the same operations at two
 * paths, with different owners.
 */
function apiKeysController(family: 'api-keys' | 'sub-account-api-keys'): Type<unknown> {
  @Controller()
  class ApiKeysController {
    constructor(
      private readonly accounts: AccountsRepository,
      private readonly keys: ApiKeysRepository,
      private readonly createApiKey: CreateApiKey,
      private readonly updateApiKey: UpdateApiKey,
      private readonly deleteApiKey: DeleteApiKey,
    ) {}

    @Operation(`${family}.list`)
    async list(
      @Call(accountRef) owner: AccountRef,
      @Query(query(parsePageQuery)) page: PageQuery,
    ): Promise<ApiResponse> {
      const keys = await this.keys.page(await this.idOf(owner), page);
      return apiResponse(
        200,
        presentPage(keys, ({ entity }) => apiKeyResource(entity)),
      );
    }

    @Operation(`${family}.create`, { beforeReplay })
    create(
      @Call() call: ApiCall,
      @Call(accountRef) owner: AccountRef,
      @Body(body(CreateApiKeyBody, API_KEY_BODY_RULES)) input: CreateApiKeyBody,
    ): Promise<ApiResponse> {
      requireGrantable(call.principal, input.scopes);
      const command = { owner, input, actor: actorOf(call) };
      return call.respond(
        (remember) => this.createApiKey.execute(command, remember),
        (created: CreatedApiKey) => apiResponse(201, createdApiKeyResource(created), { secret: true }),
      );
    }

    @Operation(`${family}.get`)
    async get(@Call(keyRef) { owner, keyId }: KeyRef): Promise<ApiResponse> {
      return apiResponse(200, apiKeyResource(await this.keys.get(await this.idOf(owner), keyId)));
    }

    @Operation(`${family}.update`)
    async update(
      @Call() call: ApiCall,
      @Call(keyRef) { owner, keyId }: KeyRef,
      @Body(body(UpdateApiKeyBody, API_KEY_BODY_RULES)) input: UpdateApiKeyBody,
    ): Promise<ApiResponse> {
      requireGrantable(call.principal, input.scopes ?? []);
      const self = keyId === call.principal.key_id ? { clientIp: call.clientIp } : undefined;
      const command = { owner, keyId, input, actor: actorOf(call), self };
      return apiResponse(200, apiKeyResource(await this.updateApiKey.execute(command)));
    }

    @Operation(`${family}.delete`)
    async delete(@Call() call: ApiCall, @Call(keyRef) { owner, keyId }: KeyRef): Promise<ApiResponse> {
      const { label } = await this.deleteApiKey.execute({ owner, keyId, actor: actorOf(call) });
      return apiResponse(200, { message: `api key ${keyId} (${label}) deleted successfully` });
    }

    /** The caller's own account exists; a child is checked. @throws ApiError 404 */
    private async idOf(owner: AccountRef): Promise<AccountId> {
      return owner.parentId === undefined ? owner.id : (await this.accounts.get(owner)).id;
    }
  }
  return ApiKeysController;
}

export const ApiKeysController = apiKeysController('api-keys');
export const SubAccountApiKeysController = apiKeysController('sub-account-api-keys');
