import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The author, reason and end of each pause of a domain; and the locks that an operator has removed. Rows of
 * `domain_pauses` outlive their domain: added again, it is not judged by bounces from before a lift.
 */
export class AddDomainPauses1764100000100 implements MigrationInterface {
  name = 'AddDomainPauses1764100000100';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const STATEMENTS = [
  `alter table domains
    add column unlocked text[] not null default '{}',
    add column next_selector text`,
  `create table domain_pauses (
    id uuid primary key,
    account_id uuid not null,
    domain_id uuid not null,
    domain text not null,
    paused_at timestamptz(3) not null,
    reason text not null,
    paused_by text not null,
    note text,
    delivered int,
    bounced int,
    lifted_at timestamptz(3),
    lifted_by text
  )`,
  'create index domain_pauses_of on domain_pauses (account_id, domain, paused_at)',
  'create unique index domain_pauses_open on domain_pauses (domain_id) where lifted_at is null',
  `insert into domain_pauses (id, account_id, domain_id, domain, paused_at, reason, paused_by)
    select gen_random_uuid(), account_id, id, domain, paused_at, coalesce(pause_reason, 'bounce_rate'), 'unknown'
      from domains where paused_at is not null`,
];
