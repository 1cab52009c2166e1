import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { AccountsRepository } from '../account/accounts.repository.js';
import { CreateAccount } from '../account/create-account.js';
import type { Actor } from '../audit/audit-log.js';
import type { CreateSubAccountBody, SubAccount } from './sub-account.schema.js';

export interface CreateSubAccountCommand {
  parentId: AccountId;
  input: CreateSubAccountBody;
  actor: Actor;
}

/** Creates a child: a full account with the owner of its parent, without members (spec 1-platform §10.2). */
@Injectable()
export class CreateSubAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly createAccount: CreateAccount,
  ) {}

  async execute(
    { parentId, input, actor }: CreateSubAccountCommand,
    remember: Remember<SubAccount> = forgetResult,
  ): Promise<SubAccount> {
    return this.dataSource.transaction(async (manager) => {
      // locked, because a concurrent suspension of the parent would not reach this child
      const parent = await this.accounts.lockIfThere(manager, { id: parentId });
      if (!parent) throw ApiErrors.invalidKey();
      const { name, website, monthly_credit: credit } = input;
      const given = { parent, name, website, monthlyCredit: credit ?? 0, ownerId: parent.ownerId };
      const account = await this.createAccount.insert(manager, given, actor);
      const child = { account: { ...account, parent }, memberCount: 0 };
      await remember(manager, child);
      return child;
    });
  }
}
