import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountChanged } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import type { AccountEntity } from '../database/entities/index.js';
import { accountState } from './account-state.rules.js';

/** Tells the other services what an account is now. */
@Injectable()
export class AccountChangedPublisher {
  constructor(private readonly outbox: Outbox) {}

  /** In the transaction of the change; one statement for all accounts. */
  async publish(
    manager: EntityManager,
    accounts: readonly AccountEntity[],
    parent: AccountEntity | undefined,
  ): Promise<void> {
    const events = accounts.map((account) =>
      AccountChanged.make(
        {
          account_id: account.id,
          parent_account_id: account.parentAccountId,
          state: accountState(account, parent),
          revision: account.revision,
        },
        { account_id: account.id },
      ),
    );
    await this.outbox.add(manager, events);
  }
}
