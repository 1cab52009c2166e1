import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountChanged, newestPerAccount, type EventOf } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { Consumes, type Consumer } from '@postmesh/service-host';

type Fact = EventOf<typeof AccountChanged>['data'];

/** Keeps the copy of account states. The revision keeps an older fact from replacing a newer one. */
@Injectable()
export class OnAccountChanged implements Consumer<typeof AccountChanged> {
  @Consumes(AccountChanged, 'marketing.account-changes')
  async handle(tx: EntityManager, events: EventOf<typeof AccountChanged>[]): Promise<void> {
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
  }
}
