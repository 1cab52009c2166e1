import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions by policy and result, for reports about TLS (decision 172). */
export class CreateTlsSessions1764600000040 implements MigrationInterface {
  name = 'CreateTlsSessions1764600000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table tls_sessions (
      day date not null,
      policy_domain text collate "C" not null,
      policy_type text not null,
      result text not null,
      mx_host text not null,
      policy_text text[] not null,
      sessions bigint not null,
      primary key (day, policy_domain, policy_type, result, mx_host)
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
