import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `mx_domains`: the MX group of each domain that mail went to (mx/mx-groups.ts), written by any worker that resolved
 * it. Used for grouping until it expires: each attempt resolves its domain itself, and writes changes here.
 */
export class CreateMxDomains1764100000910 implements MigrationInterface {
  name = 'CreateMxDomains1764100000910';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table mx_domains (
      domain text collate "C" primary key,
      group_key text collate "C" not null,
      looked_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    )`);
    await runner.query('create index mx_domains_expires on mx_domains (expires_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
