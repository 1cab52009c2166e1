import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { parseBody } from '@postmesh/contracts';
import { Internal, OperatorName } from '@postmesh/service-host';
import { ChangeAccountState } from '../account/change-account-state.js';
import type { StateAction } from '../account/state-change.rules.js';
import { readJson } from '../internal-requests/parse-internal.js';
import { OperatorAccountsView } from './operator-accounts.view.js';
import { operatorActor, readAccountId } from './operator-request.js';
import { OperatorReasonBody } from './operator.schema.js';

interface Wish {
  operator: string;
  account: string;
  action: StateAction;
  /** asked for where something is taken from the account */
  body?: unknown;
}

/** What an operator lets an account do (spec 1-platform §2.5). */
@Controller('operator/accounts/:account_id')
@Internal()
export class OperatorStatesController {
  constructor(
    private readonly state: ChangeAccountState,
    private readonly view: OperatorAccountsView,
  ) {}

  @Post('suspend')
  @HttpCode(200)
  suspend(@OperatorName() operator: string, @Param('account_id') account: string, @Body() body: unknown) {
    return this.change({ operator, account, action: 'suspend', body });
  }

  @Post('resume')
  @HttpCode(200)
  resume(@OperatorName() operator: string, @Param('account_id') account: string) {
    return this.change({ operator, account, action: 'resume' });
  }

  @Post('block')
  @HttpCode(200)
  block(@OperatorName() operator: string, @Param('account_id') account: string, @Body() body: unknown) {
    return this.change({ operator, account, action: 'block', body });
  }

  @Post('unblock')
  @HttpCode(200)
  unblock(@OperatorName() operator: string, @Param('account_id') account: string) {
    return this.change({ operator, account, action: 'unblock' });
  }

  private async change(wish: Wish) {
    const { operator, account, action } = wish;
    const accountId = readAccountId(account);
    const reason = 'body' in wish ? parseBody(OperatorReasonBody, readJson(wish.body)).reason : '';
    await this.state.execute({ accountId, action, reason, actor: operatorActor(operator) });
    return this.view.show(accountId);
  }
}
