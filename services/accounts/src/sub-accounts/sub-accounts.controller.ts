import { Controller } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, parseBody, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toPage } from '@postmesh/pagination';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { AskedFigures } from './asked-figures.js';
import { ChangeSubAccount, type SubAccountDecision } from './change-sub-account.js';
import { CreateSubAccount } from './create-sub-account.js';
import { DeleteSubAccount } from './delete-sub-account.js';
import { subAccountChanges } from './sub-account-changes.rules.js';
import { subAccountResource } from './sub-account.resource.js';
import {
  CreateSubAccountBody,
  SUB_ACCOUNT_BODY_RULES,
  SuspendSubAccountBody,
  UpdateSubAccountBody,
} from './sub-account.schema.js';
import { SubAccountsRepository, type ChildOf } from './sub-accounts.repository.js';
import { refuseEmptyUpdate } from './update-sub-account.rules.js';

/** The children of a partner (spec 1-platform §10.3). */
@Controller()
export class SubAccountsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly children: SubAccountsRepository,
    private readonly figures: AskedFigures,
    private readonly creation: CreateSubAccount,
    private readonly change: ChangeSubAccount,
    private readonly deletion: DeleteSubAccount,
  ) {}

  @Operation('sub-accounts.list')
  async list(@Call() call: ApiCall): Promise<ApiResponse> {
    const page = parsePageQuery(call.query);
    const rows = await this.children.page(this.dataSource.manager, call.accountId, page);
    const figuresOf = await this.figures.of(rows.slice(0, page.limit).map((row) => row.id));
    return apiResponse(
      200,
      toPage(rows, page, (row) => subAccountResource(row, figuresOf(row.id))),
    );
  }

  @Operation('sub-accounts.create')
  create(@Call() call: ApiCall): Promise<ApiResponse> {
    const input = parseBody(CreateSubAccountBody, call.body(), SUB_ACCOUNT_BODY_RULES);
    const order = { parentId: call.accountId, input, actor: actorOf(call) };
    return this.creation.execute(order, async (manager, child) => {
      const given = apiResponse(201, child);
      await call.remember(manager, given);
      return given;
    });
  }

  @Operation('sub-accounts.get')
  async get(@Call() call: ApiCall): Promise<ApiResponse> {
    const row = await this.children.find(this.dataSource.manager, childOf(call));
    const figuresOf = await this.figures.of([row.id]);
    return apiResponse(200, subAccountResource(row, figuresOf(row.id)));
  }

  @Operation('sub-accounts.update')
  update(@Call() call: ApiCall): Promise<ApiResponse> {
    const child = childOf(call);
    const input = parseBody(UpdateSubAccountBody, call.body(), SUB_ACCOUNT_BODY_RULES);
    refuseEmptyUpdate(input);
    return this.changed(call, child, subAccountChanges.update(input));
  }

  @Operation('sub-accounts.suspend')
  suspend(@Call() call: ApiCall): Promise<ApiResponse> {
    const child = childOf(call);
    const { reason } = parseBody(SuspendSubAccountBody, call.body());
    return this.changed(call, child, subAccountChanges.suspend(reason));
  }

  @Operation('sub-accounts.unsuspend')
  unsuspend(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.changed(call, childOf(call), subAccountChanges.unsuspend());
  }

  @Operation('sub-accounts.delete')
  async delete(@Call() call: ApiCall): Promise<ApiResponse> {
    await this.deletion.execute(childOf(call), actorOf(call));
    return apiResponse(200, { message: 'sub account deleted' });
  }

  private async changed(call: ApiCall, child: ChildOf, decide: SubAccountDecision): Promise<ApiResponse> {
    const { id } = await this.children.find(this.dataSource.manager, child);
    const figuresOf = await this.figures.of([id]);
    const row = await this.change.execute(child, actorOf(call), decide);
    return apiResponse(200, subAccountResource(row, figuresOf(id)));
  }
}

/** @throws ApiError 400 `invalid sub_account_id` */
export const childOf = (call: ApiCall): ChildOf => ({
  parentId: call.accountId,
  childId: call.uuidParam('sub_account_id'),
});

export const actorOf = (call: ApiCall) => ({ kind: 'api-key' as const, id: call.principal.key_id });
