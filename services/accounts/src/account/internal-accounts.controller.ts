import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { AccountFacts, AccountId } from '@postmesh/contracts';
import {
  AccountFactsRequest,
  ExistingKeys,
  type AccountStatesPage,
  type KnownAccounts,
  type KnownSubAccount,
} from '@postmesh/accounts-contract';
import { Internal, query, uuidParam } from '@postmesh/service-host';
import { internalBody } from '../internal-requests/internal-body.js';
import { FACT_COLUMNS, factJoins, knownAccount, type FactRow } from './account-facts.js';
import { accountFact } from './account-state.rules.js';
import { AccountsRepository } from './accounts.repository.js';

const PAGE = 1_000;
const StatesQuery = z.object({
  after: AccountId.default(AccountId.parse('00000000-0000-0000-0000-000000000000')),
});

/** Internal operations on accounts, for other services. */
@Internal()
@Controller('internal')
export class InternalAccountsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
  ) {}

  /** The accounts that may not send, for services at their start; later changes reach them by events. */
  @Get('account-states')
  async states(
    @Query(query(StatesQuery)) { after }: z.infer<typeof StatesQuery>,
  ): Promise<AccountStatesPage> {
    const accounts = await this.accounts.notActiveAfter(after, PAGE);
    return {
      accounts: accounts.map((account) => accountFact(account, account.parent)),
      next: accounts.length === PAGE ? (accounts.at(-1)?.id ?? null) : null,
    };
  }

  /** Facts of accounts for work without a principal: inbound mail. */
  @Post('account-facts')
  @HttpCode(200)
  async facts(
    @Body(internalBody(AccountFactsRequest)) { account_ids }: AccountFactsRequest,
  ): Promise<KnownAccounts> {
    const rows: FactRow[] = await this.dataSource.query(
      `select ${FACT_COLUMNS} from unnest($1::uuid[]) as given(id) ${factJoins('given.id')} where account.id is not null`,
      [account_ids],
    );
    const accounts = rows.flatMap((row) => {
      const known = knownAccount(row);
      if (!known) return [];
      return [{ account_id: AccountId.parse(row.accountId), account: AccountFacts.parse(known.facts) }];
    });
    return { accounts };
  }

  /** Whether an account is a child of another. */
  @Get('accounts/:account_id/sub-accounts/:sub_account_id')
  async subAccount(
    @uuidParam('account_id') parentId: AccountId,
    @uuidParam('sub_account_id') id: AccountId,
  ): Promise<KnownSubAccount> {
    const child = await this.accounts.get({ id, parentId });
    return { account_id: child.id, parent_account_id: parentId };
  }

  /** The keys that the account still has: the author of a published template is shown while it exists. */
  @Post('accounts/:account_id/api-keys/existing')
  @HttpCode(200)
  async existingKeys(
    @uuidParam('account_id') accountId: AccountId,
    @Body(internalBody(ExistingKeys)) { key_ids }: ExistingKeys,
  ): Promise<ExistingKeys> {
    const rows: { id: string }[] = await this.dataSource.query(
      'select id from api_keys where account_id = $1 and id = any($2::uuid[])',
      [accountId, key_ids],
    );
    return { key_ids: rows.map(({ id }) => id) };
  }
}
