import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiError, parseBody } from '@postmesh/contracts';
import { parsePageQuery } from '@postmesh/pagination';
import { Internal, OperatorName } from '@postmesh/service-host';
import { CreateAccount } from '../account/create-account.js';
import { readJson } from '../internal-requests/parse-internal.js';
import { ReportUsage } from '../sub-accounts/usage/report-usage.js';
import { accountList } from './account-query.rules.js';
import { ChangeAccountLimits } from './change-account-limits.js';
import { OperatorAccountsView } from './operator-accounts.view.js';
import {
  OperatorCreateAccountBody,
  OperatorOwnerBody,
  OperatorReasonBody,
  OperatorUpdateAccountBody,
} from './operator.schema.js';
import { operatorActor, readAccountId } from './operator-request.js';
import { RemoveAccount } from './remove-account.js';
import { TransferOwnership } from './transfer-ownership.js';

/** Accounts in the operator interface. */
@Controller('operator/accounts')
@Internal()
export class OperatorAccountsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly view: OperatorAccountsView,
    private readonly creation: CreateAccount,
    private readonly limits: ChangeAccountLimits,
    private readonly ownership: TransferOwnership,
    private readonly removal: RemoveAccount,
    private readonly used: ReportUsage,
  ) {}

  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.view.page(accountList(query), parsePageQuery(query));
  }

  @Post()
  async create(@OperatorName() operator: string, @Body() body: unknown) {
    const input = parseBody(OperatorCreateAccountBody, readJson(body));
    const { name, website, owner_email: email, owner_name } = input;
    const order = { name, website, owner: { email, name: owner_name }, actor: operatorActor(operator) };
    const account = await this.dataSource.transaction((manager) => this.creation.execute(manager, order));
    return this.view.show(account.id);
  }

  @Get(':account_id')
  get(@Param('account_id') account: string) {
    return this.view.show(readAccountId(account));
  }

  @Put(':account_id')
  async update(
    @OperatorName() operator: string,
    @Param('account_id') account: string,
    @Body() body: unknown,
  ) {
    const accountId = readAccountId(account);
    const wish = parseBody(OperatorUpdateAccountBody, readJson(body));
    await this.limits.execute({ accountId, wish, actor: operatorActor(operator) });
    return this.view.show(accountId);
  }

  /** With its sub-accounts; softly, so that the audit and the usage of the month keep meaning something. */
  @Delete(':account_id')
  async delete(
    @OperatorName() operator: string,
    @Param('account_id') account: string,
    @Body() body: unknown,
  ) {
    const accountId = readAccountId(account);
    const { reason } = parseBody(OperatorReasonBody, readJson(body));
    await this.removal.execute(accountId, { reason, actor: operatorActor(operator) });
    return this.view.show(accountId);
  }

  @Post(':account_id/owner')
  @HttpCode(200)
  async transfer(
    @OperatorName() operator: string,
    @Param('account_id') account: string,
    @Body() body: unknown,
  ) {
    const accountId = readAccountId(account);
    const { email } = parseBody(OperatorOwnerBody, readJson(body));
    await this.ownership.execute({ accountId, email, actor: operatorActor(operator) });
    return this.view.show(accountId);
  }

  @Get(':account_id/members')
  async members(@Param('account_id') account: string, @Query() query: Record<string, unknown>) {
    const accountId = readAccountId(account);
    await this.view.show(accountId);
    return this.view.members(accountId, parsePageQuery(query));
  }

  /** Of a top-level account with its sub-accounts, as the account itself can ask (spec 1-platform §10.5). */
  @Get(':account_id/usage')
  async usage(@Param('account_id') account: string) {
    const accountId = readAccountId(account);
    const { parent_account_id: parent } = await this.view.show(accountId);
    if (parent !== null)
      throw new ApiError(400, 'usage is told of top-level accounts, with their sub-accounts');
    return this.used.execute(accountId, new Date());
  }
}
