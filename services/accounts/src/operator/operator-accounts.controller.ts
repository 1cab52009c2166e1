import { Body, Controller, Delete, Get, Headers, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiError, FIGURES_HEADER, type AccountId } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery, type Sql } from '@postmesh/http';
import { body, Internal, OperatorName, query, uuidParam } from '@postmesh/service-host';
import { changeState, deleteAccount } from '../account/account-changes.rules.js';
import { ChangeAccount, type Decide } from '../account/change-account.js';
import { CreateAccount } from '../account/create-account.js';
import { operatorActor } from '../audit/audit-log.js';
import { ReportUsage } from '../sub-accounts/report-usage.js';
import { accountList } from './account-query.rules.js';
import { changeLimits } from './limits-change.rules.js';
import { OperatorAccountsView } from './operator-accounts.view.js';
import {
  OperatorCreateAccountBody,
  OperatorOwnerBody,
  OperatorReasonBody,
  OperatorUpdateAccountBody,
} from './operator.schema.js';
import { transferOwnership } from './transfer-ownership.js';

/** Accounts in the operator interface, with their limits and states (spec 1-platform §2.5). */
@Controller('operator/accounts')
@Internal()
export class OperatorAccountsController {
  constructor(
    private readonly view: OperatorAccountsView,
    private readonly createAccount: CreateAccount,
    private readonly changeAccount: ChangeAccount,
    private readonly reportUsage: ReportUsage,
  ) {}

  @Get()
  list(@Query(query(parsePageQuery, accountList)) [page, list]: [PageQuery, Sql]) {
    return this.view.page(list, page);
  }

  @Post()
  async create(
    @OperatorName() operator: string,
    @Body(body(OperatorCreateAccountBody)) input: OperatorCreateAccountBody,
  ) {
    const { name, website, owner_email: email, owner_name } = input;
    const owner = { email, name: owner_name };
    const { id } = await this.createAccount.execute({ name, website, owner, actor: operatorActor(operator) });
    return this.view.show(id);
  }

  @Get(':account_id')
  get(@uuidParam('account_id') id: AccountId) {
    return this.view.show(id);
  }

  @Put(':account_id')
  update(
    @OperatorName() operator: string,
    @uuidParam('account_id') id: AccountId,
    @Body(body(OperatorUpdateAccountBody)) input: OperatorUpdateAccountBody,
  ) {
    return this.change(operator, id, changeLimits(input));
  }

  /** Soft delete, with its sub-accounts: the audit and the usage of the month stay readable. */
  @Delete(':account_id')
  delete(
    @OperatorName() operator: string,
    @uuidParam('account_id') id: AccountId,
    @Body(body(OperatorReasonBody)) { reason }: OperatorReasonBody,
  ) {
    return this.change(operator, id, deleteAccount(reason));
  }

  @Post(':account_id/suspend')
  @HttpCode(200)
  suspend(
    @OperatorName() operator: string,
    @uuidParam('account_id') id: AccountId,
    @Body(body(OperatorReasonBody)) { reason }: OperatorReasonBody,
  ) {
    return this.change(operator, id, changeState('suspend', reason));
  }

  @Post(':account_id/resume')
  @HttpCode(200)
  resume(@OperatorName() operator: string, @uuidParam('account_id') id: AccountId) {
    return this.change(operator, id, changeState('resume'));
  }

  @Post(':account_id/block')
  @HttpCode(200)
  block(
    @OperatorName() operator: string,
    @uuidParam('account_id') id: AccountId,
    @Body(body(OperatorReasonBody)) { reason }: OperatorReasonBody,
  ) {
    return this.change(operator, id, changeState('block', reason));
  }

  @Post(':account_id/unblock')
  @HttpCode(200)
  unblock(@OperatorName() operator: string, @uuidParam('account_id') id: AccountId) {
    return this.change(operator, id, changeState('unblock'));
  }

  @Post(':account_id/owner')
  @HttpCode(200)
  transfer(
    @OperatorName() operator: string,
    @uuidParam('account_id') id: AccountId,
    @Body(body(OperatorOwnerBody)) { email }: OperatorOwnerBody,
  ) {
    return this.change(operator, id, transferOwnership(email));
  }

  @Get(':account_id/members')
  async members(@uuidParam('account_id') id: AccountId, @Query(query(parsePageQuery)) page: PageQuery) {
    await this.view.show(id);
    return this.view.members(id, page);
  }

  /** Usage of a top-level account with its sub-accounts, as in the API of the account itself (spec 1-platform §10.5). */
  @Get(':account_id/usage')
  async usage(@uuidParam('account_id') id: AccountId, @Headers(FIGURES_HEADER) figures?: string) {
    const { parent_account_id: parent } = await this.view.show(id);
    if (parent !== null) {
      throw new ApiError(400, 'usage is reported for top-level accounts, with their sub-accounts');
    }
    return this.reportUsage.execute(id, new Date(), { later: figures === 'later' });
  }

  private async change(operator: string, id: AccountId, decide: Decide) {
    await this.changeAccount.execute({ id }, operatorActor(operator), decide);
    return this.view.show(id);
  }
}
