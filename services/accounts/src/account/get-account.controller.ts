import { Controller } from '@nestjs/common';
import { answer, Refusals, type Answer } from '@postmesh/contracts';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { accountResource } from './account.resource.js';
import { AccountsRepository } from './accounts.repository.js';

@Controller()
export class GetAccountController {
  constructor(private readonly accounts: AccountsRepository) {}

  @Operation('account.get')
  async get(@Call() call: ApiCall): Promise<Answer> {
    const account = await this.accounts.find(call.accountId);
    if (!account) throw Refusals.notFound('account');
    return answer(200, accountResource(account));
  }
}
