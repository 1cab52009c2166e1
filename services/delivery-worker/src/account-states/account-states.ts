import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newestPerAccount, type AccountChanged } from '@postmesh/accounts-contract';

type AccountFact = ReturnType<typeof AccountChanged.make>['data'];

/** This service's copy of account states: which accounts may send. */
@Injectable()
export class AccountStates {
  /** The revision rules: a duplicate, or a fact older than the stored one, changes nothing. */
  async learn(manager: EntityManager, facts: readonly AccountFact[]): Promise<void> {
    const newest = newestPerAccount(facts);
    await manager.query(
      `insert into account_states (account_id, state, revision)
       select * from unnest($1::uuid[], $2::text[], $3::bigint[])
       on conflict (account_id) do update set state = excluded.state, revision = excluded.revision, changed_at = now()
         where account_states.revision < excluded.revision`,
      [
        newest.map((fact) => fact.account_id),
        newest.map((fact) => fact.state),
        newest.map((fact) => fact.revision),
      ],
    );
  }

  /** @returns the states of those accounts that may not send, by id: usually none */
  async notActive(manager: EntityManager, accountIds: readonly string[]): Promise<Map<string, string>> {
    const rows: { account_id: string; state: string }[] = await manager.query(
      `select account_id, state from account_states where account_id = any($1::uuid[]) and state <> 'active'`,
      [[...new Set(accountIds)]],
    );
    return new Map(rows.map((row) => [row.account_id, row.state]));
  }
}
