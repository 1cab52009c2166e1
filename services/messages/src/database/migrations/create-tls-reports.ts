import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reports about the TLS of our sessions (decision 172): days that are collected, and each report by its address. */
export class CreateTlsReports1764600000041 implements MigrationInterface {
  name = 'CreateTlsReports1764600000041';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table tls_report_days (
      day date primary key,
      after text collate "C" not null default '',
      is_complete boolean not null default false
    )`);
    await runner.query(`create table tls_report_sends (
      day date not null,
      policy_domain text collate "C" not null,
      destination text not null,
      sessions jsonb,
      tries int not null default 0,
      next_try_at timestamptz(3) not null default now(),
      created_at timestamptz(3) not null default now(),
      ended_at timestamptz(3),
      result text,
      primary key (day, policy_domain, destination)
    )`);
    await runner.query(
      'create index tls_report_sends_due on tls_report_sends (next_try_at) where ended_at is null',
    );
    await runner.query('create index tls_report_sends_old on tls_report_sends (created_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
