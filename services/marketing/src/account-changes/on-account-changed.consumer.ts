import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountChanged, newestPerAccount } from '@postmesh/accounts-contract';
import type { EventOf } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { CampaignsOfAccount } from '../campaign-states/followed-campaigns.js';
import { recordDeletion } from './deleted-accounts.js';
import { PurgeAccounts } from './purge-accounts.js';

type Fact = EventOf<typeof AccountChanged>['data'];

/**
 * Maintains the copy of account states. The revision prevents an older state from replacing a newer one; a deletion is
 * final, so its order and repetition have no effect.
 */
@Controller()
export class OnAccountChanged {
  constructor(
    private readonly purging: PurgeAccounts,
    private readonly campaigns: CampaignsOfAccount,
  ) {}

  @Consumes(AccountChanged, 'marketing.account-changes')
  async handle(
    @Payload() events: EventOf<typeof AccountChanged>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const facts = newestPerAccount(events.map(({ data }) => data));
    const columns = {
      account_id: ['uuid', (fact: Fact) => fact.account_id],
      state: 'text',
      revision: 'int',
    } as const;
    await insertRows(tx, 'account_states', columns, facts, {
      onConflict: `(account_id) do update
        set state = excluded.state, revision = excluded.revision, changed_at = excluded.changed_at
        where account_states.revision < excluded.revision`,
    });
    const ended = events.filter(({ data }) => data.state === 'deleted').map(({ data }) => data.account_id);
    const deleted = [...new Set(ended)].toSorted();
    for (const accountId of deleted) await recordDeletion(tx, accountId);
    await this.campaigns.changed(tx, facts);
    if (deleted.length > 0) afterCommit(() => this.purging.wake());
  }
}
