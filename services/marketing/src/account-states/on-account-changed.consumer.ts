import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { AccountChanged, newestPerAccount, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';

/** Keeps the copy of account states. The revision makes redelivery harmless, so no inbox is needed. */
@Controller()
export class OnAccountChanged {
  constructor(private readonly dataSource: DataSource) {}

  @Hears(AccountChanged)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const facts = newestPerAccount(events.map((event) => AccountChanged.parse(event).data));
    await this.dataSource.query(
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
