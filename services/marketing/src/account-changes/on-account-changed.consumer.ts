import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountChanged, newestPerAccount, type EventOf } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { CampaignsOfAccount } from '../campaign-states/followed-campaigns.js';
import { recordDeletion } from './deleted-accounts.js';
import { PurgeAccounts } from './purge-accounts.js';

type Fact = EventOf<typeof AccountChanged>['data'];

/**
 * Keeps the copy of account states. The revision keeps an older fact from replacing a newer one; the end is final, so for
 * it order and repetition do not matter.
 */
@Injectable()
export class OnAccountChanged implements Consumer<typeof AccountChanged> {
  constructor(
    private readonly purging: PurgeAccounts,
    private readonly campaigns: CampaignsOfAccount,
  ) {}

  @Consumes(AccountChanged, 'marketing.account-changes')
  async handle(tx: EntityManager, events: EventOf<typeof AccountChanged>[]): Promise<AfterCommit | void> {
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
    if (deleted.length > 0) return () => this.purging.wake();
  }
}
