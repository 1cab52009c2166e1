import { accountRef, type AccountRef } from '../account/accounts.repository.js';
import { Body, Controller, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { deleteAccount } from '../account/account-changes.rules.js';
import { ChangeAccount, type Decide } from '../account/change-account.js';
import { actorOf } from '../audit/audit-log.js';
import { presentPage } from '../database/entity-page.js';
import { CreateSubAccount } from './create-sub-account.js';
import { ReportUsage } from './report-usage.js';
import { refuseEmptyUpdate, suspendChild, unsuspendChild, updateChild } from './sub-account-changes.rules.js';
import { FindSubAccountFigures } from './sub-account-figures.js';
import {
  CreateSubAccountBody,
  NO_FIGURES,
  SUB_ACCOUNT_BODY_RULES,
  subAccountResource,
  SuspendSubAccountBody,
  UpdateSubAccountBody,
  type SubAccount,
} from './sub-account.schema.js';
import { SubAccountsRepository } from './sub-accounts.repository.js';

/** The children of a partner (spec 1-platform §10.3). */
@Controller()
export class SubAccountsController {
  constructor(
    private readonly subAccounts: SubAccountsRepository,
    private readonly findFigures: FindSubAccountFigures,
    private readonly createSubAccount: CreateSubAccount,
    private readonly changeAccount: ChangeAccount,
    private readonly reportUsage: ReportUsage,
  ) {}

  @Operation('sub-accounts.list')
  async list(@Call() call: ApiCall, @Query(query(parsePageQuery)) page: PageQuery): Promise<ApiResponse> {
    const children = await this.subAccounts.page(call.accountId, page);
    const figuresOf = await this.findFigures.execute(children.data, { later: call.figuresLater });
    return apiResponse(
      200,
      presentPage(children, (child) => subAccountResource(child, figuresOf(child))),
    );
  }

  @Operation('sub-accounts.create')
  create(
    @Call() call: ApiCall,
    @Body(body(CreateSubAccountBody, SUB_ACCOUNT_BODY_RULES)) input: CreateSubAccountBody,
  ): Promise<ApiResponse> {
    const command = { parentId: call.accountId, input, actor: actorOf(call) };
    return call.respond(
      (remember) => this.createSubAccount.execute(command, remember),
      (child: SubAccount) => apiResponse(201, subAccountResource(child, NO_FIGURES)),
    );
  }

  @Operation('sub-accounts.usage')
  async usage(@Call() call: ApiCall): Promise<ApiResponse> {
    return apiResponse(
      200,
      await this.reportUsage.execute(call.accountId, new Date(), { later: call.figuresLater }),
    );
  }

  @Operation('sub-accounts.get')
  async get(@Call() call: ApiCall, @Call(accountRef) ref: AccountRef): Promise<ApiResponse> {
    const child = await this.subAccounts.get(ref);
    const figuresOf = await this.findFigures.execute([child], { later: call.figuresLater });
    return apiResponse(200, subAccountResource(child, figuresOf(child)));
  }

  @Operation('sub-accounts.update')
  update(
    @Call() call: ApiCall,
    @Call(accountRef) ref: AccountRef,
    @Body(body(UpdateSubAccountBody, SUB_ACCOUNT_BODY_RULES)) input: UpdateSubAccountBody,
  ): Promise<ApiResponse> {
    refuseEmptyUpdate(input);
    return this.change(call, ref, updateChild(input));
  }

  @Operation('sub-accounts.suspend')
  suspend(
    @Call() call: ApiCall,
    @Call(accountRef) ref: AccountRef,
    @Body(body(SuspendSubAccountBody)) { reason }: SuspendSubAccountBody,
  ): Promise<ApiResponse> {
    return this.change(call, ref, suspendChild(reason));
  }

  @Operation('sub-accounts.unsuspend')
  unsuspend(@Call() call: ApiCall, @Call(accountRef) ref: AccountRef): Promise<ApiResponse> {
    return this.change(call, ref, unsuspendChild());
  }

  @Operation('sub-accounts.delete')
  async delete(@Call() call: ApiCall, @Call(accountRef) ref: AccountRef): Promise<ApiResponse> {
    await this.changeAccount.execute(ref, actorOf(call), deleteAccount());
    return apiResponse(200, { message: 'sub account deleted' });
  }

  private async change(call: ApiCall, ref: AccountRef, decide: Decide): Promise<ApiResponse> {
    const child = await this.subAccounts.get(ref);
    const figuresOf = await this.findFigures.execute([child], { later: call.figuresLater });
    const { parent } = child.account;
    const account = await this.changeAccount.execute(ref, actorOf(call), decide);
    const changed = { ...child, account: { ...account, parent } };
    return apiResponse(200, subAccountResource(changed, figuresOf(changed)));
  }
}
