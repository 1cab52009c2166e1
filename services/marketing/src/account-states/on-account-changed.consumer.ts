import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountChanged, newestPerAccount, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';

/** Keeps the copy of account states. The revision keeps an older fact from replacing a newer one. */
@Injectable()
export class OnAccountChanged implements Consumer<typeof AccountChanged> {
  @Consumes(AccountChanged, 'marketing.account-changes')
  async handle(tx: EntityManager, events: EventOf<typeof AccountChanged>[]): Promise<void> {
    const facts = newestPerAccount(events.map(({ data }) => data));
    await tx.query(
      `insert into account_states (account_id, parent_account_id, state, revision)
       select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[])
       on conflict (account_id) do update
         set parent_account_id = excluded.parent_account_id, state = excluded.state, revision = excluded.revision
         where account_states.revision < excluded.revision`,
      [
        facts.map((fact) => fact.account_id),
        facts.map((fact) => fact.parent_account_id),
        facts.map((fact) => fact.state),
        facts.map((fact) => fact.revision),
      ],
    );
  }
}
