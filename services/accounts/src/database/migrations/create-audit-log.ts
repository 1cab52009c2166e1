import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAuditLog1764000000130 implements MigrationInterface {
  name = 'CreateAuditLog1764000000130';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table audit_entries (
      id uuid primary key,
      at timestamptz(3) not null,
      actor_kind text not null check (actor_kind in ('operator', 'api-key', 'system')),
      actor_id text,
      action text not null,
      account_id uuid,
      subject_id text,
      details jsonb not null default '{}'
    )`);
    await runner.query(
      'create index audit_entries_of_account on audit_entries (account_id, at desc, id desc)',
    );
    await runner.query('create index audit_entries_page on audit_entries (at desc, id desc)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
