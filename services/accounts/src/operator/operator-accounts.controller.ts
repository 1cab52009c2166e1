import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Refusals, Uuid } from '@postmesh/contracts';
import { pageSql, parsePageQuery, toPage, type PageRow } from '@postmesh/pagination';
import { Internal } from '@postmesh/service-host';
import { AccountsRepository } from '../account/accounts.repository.js';
import { ChangeAccountState } from '../account/change-account-state.js';
import { CreateAccount } from '../account/create-account.js';
import type { StateAction } from '../account/state-change.rules.js';
import { AccountEntity } from '../database/entities/index.js';
import { parseInternal } from '../internal-requests/parse-internal.js';
import { operatorAccount } from './operator-account.resource.js';
import { OperatorCreateAccountBody, OperatorReasonBody } from './operator.schema.js';

const OPERATOR = { kind: 'operator' as const, id: 'operator' };

/** Accounts in the operator interface. */
@Controller('operator/accounts')
@Internal()
export class OperatorAccountsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly creation: CreateAccount,
    private readonly state: ChangeAccountState,
  ) {}

  @Get()
  async list(@Query() query: Record<string, unknown>) {
    const page = parsePageQuery(query);
    const sql = pageSql({ text: 'select id, created_at from accounts', parameters: [] }, page);
    const rows: PageRow[] = await this.dataSource.query(sql.text, [...sql.parameters]);
    const found = await this.dataSource.manager.findBy(AccountEntity, { id: In(rows.map((row) => row.id)) });
    const parents = await this.dataSource.manager.findBy(AccountEntity, {
      id: In(found.flatMap((account) => account.parentAccountId ?? [])),
    });
    const byId = new Map([...parents, ...found].map((account) => [account.id, account]));
    const present = ({ id }: PageRow) => {
      const account = byId.get(id) as AccountEntity;
      return operatorAccount(account, byId.get(account.parentAccountId ?? ''));
    };
    return toPage(rows, page, present);
  }

  @Post()
  async create(@Body() body: unknown) {
    const { name, website, owner_email: email, owner_name } = parseInternal(OperatorCreateAccountBody, body);
    const order = { name, website, owner: { email, name: owner_name }, actor: OPERATOR };
    const account = await this.dataSource.transaction((manager) => this.creation.execute(manager, order));
    return operatorAccount(account, undefined);
  }

  @Get(':account_id')
  async get(@Param('account_id') accountId: string) {
    const account = await this.accounts.find(readAccountId(accountId));
    if (!account) throw Refusals.notFound('account');
    return this.show(account);
  }

  @Post(':account_id/suspend')
  @HttpCode(200)
  suspend(@Param('account_id') accountId: string, @Body() body: unknown) {
    return this.change(accountId, 'suspend', parseInternal(OperatorReasonBody, body).reason);
  }

  @Post(':account_id/resume')
  @HttpCode(200)
  resume(@Param('account_id') accountId: string) {
    return this.change(accountId, 'resume', '');
  }

  @Post(':account_id/block')
  @HttpCode(200)
  block(@Param('account_id') accountId: string, @Body() body: unknown) {
    return this.change(accountId, 'block', parseInternal(OperatorReasonBody, body).reason);
  }

  @Post(':account_id/unblock')
  @HttpCode(200)
  unblock(@Param('account_id') accountId: string) {
    return this.change(accountId, 'unblock', '');
  }

  private async change(accountId: string, action: StateAction, reason: string) {
    const order = { accountId: readAccountId(accountId), action, reason, actor: OPERATOR };
    return this.show(await this.state.execute(order));
  }

  private async show(account: AccountEntity) {
    return operatorAccount(account, await this.accounts.parentOf(this.dataSource.manager, account));
  }
}

/** @throws ApiError 400 `invalid account_id` */
export function readAccountId(text: string): string {
  const parsed = Uuid.safeParse(text);
  if (!parsed.success) throw Refusals.invalidParameter('account_id');
  return parsed.data;
}
