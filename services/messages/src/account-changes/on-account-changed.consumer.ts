import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountChanged, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { CancelOpenMessages } from './cancel-open-messages.js';

/** Notes accounts that were deleted. There is no way back, so order and repetition do not matter. */
@Injectable()
export class OnAccountChanged implements Consumer<typeof AccountChanged> {
  constructor(private readonly canceling: CancelOpenMessages) {}

  @Consumes(AccountChanged, 'messages.account-changes')
  async handle(tx: EntityManager, events: EventOf<typeof AccountChanged>[]): Promise<AfterCommit | void> {
    const deleted = events
      .map(({ data }) => data)
      .filter(({ state }) => state === 'deleted')
      .map(({ account_id }) => account_id);
    if (deleted.length === 0) return;
    await tx.query(
      'insert into deleted_accounts (account_id) select distinct unnest($1::uuid[]) on conflict do nothing',
      [deleted],
    );
    return () => this.canceling.wake();
  }
}
