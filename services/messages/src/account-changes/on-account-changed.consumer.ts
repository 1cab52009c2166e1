import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountChanged } from '@postmesh/accounts-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { CancelOpenMessages } from './cancel-open-messages.js';

/** Stores deleted accounts. A deletion is final, so order and repetition do not matter. */
@Controller()
export class OnAccountChanged {
  constructor(private readonly canceling: CancelOpenMessages) {}

  @Consumes(AccountChanged, 'messages.account-changes')
  async handle(
    @Payload() events: EventOf<typeof AccountChanged>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const deleted = events
      .map(({ data }) => data)
      .filter(({ state }) => state === 'deleted')
      .map(({ account_id }) => account_id);
    if (deleted.length === 0) return;
    await tx.query(
      'insert into deleted_accounts (account_id) select distinct unnest($1::uuid[]) on conflict do nothing',
      [deleted],
    );
    afterCommit(() => this.canceling.wake());
  }
}
