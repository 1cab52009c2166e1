import { Controller } from '@nestjs/common';
import { apiResponse, parseBody, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { accountResource } from './account.resource.js';
import { ACCOUNT_BODY_RULES, UpdateAccountBody } from './account.schema.js';
import { AccountsRepository } from './accounts.repository.js';
import { UpdateAccount } from './update-account.js';

/** The caller's own account (spec 1-platform §7). */
@Controller()
export class AccountController {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly change: UpdateAccount,
  ) {}

  @Operation('account.get')
  async get(@Call() call: ApiCall): Promise<ApiResponse> {
    const account = await this.accounts.find(call.accountId);
    if (!account) throw ApiErrors.notFound('account');
    return apiResponse(200, accountResource(account));
  }

  @Operation('account.update')
  async update(@Call() call: ApiCall): Promise<ApiResponse> {
    const input = parseBody(UpdateAccountBody, call.body(), ACCOUNT_BODY_RULES);
    const actor = { kind: 'api-key' as const, id: call.principal.key_id };
    return apiResponse(
      200,
      accountResource(await this.change.execute({ accountId: call.accountId, input, actor })),
    );
  }
}
