import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, type ApiCall } from '@postmesh/service-host';
import { actorOf } from '../audit/audit-log.js';
import { updateAccount } from './account-changes.rules.js';
import { ACCOUNT_BODY_RULES, accountResource, UpdateAccountBody } from './account.schema.js';
import { AccountsRepository } from './accounts.repository.js';
import { ChangeAccount } from './change-account.js';

/** The caller's own account (spec 1-platform §7). */
@Controller()
export class AccountController {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly changeAccount: ChangeAccount,
  ) {}

  @Operation('account.get')
  async get(@Call() call: ApiCall): Promise<ApiResponse> {
    return apiResponse(200, accountResource(await this.accounts.get({ id: call.accountId })));
  }

  @Operation('account.update')
  async update(
    @Call() call: ApiCall,
    @Body(body(UpdateAccountBody, ACCOUNT_BODY_RULES)) input: UpdateAccountBody,
  ): Promise<ApiResponse> {
    const ref = { id: call.accountId };
    const account = await this.changeAccount.execute(ref, actorOf(call), updateAccount(input));
    return apiResponse(200, accountResource(account));
  }
}
