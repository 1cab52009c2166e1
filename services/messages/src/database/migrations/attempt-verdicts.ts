import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Facts of an attempt for operators: the result of its TLS handshake, and the policy that required it. */
export class AttemptVerdicts1764100000931 implements MigrationInterface {
  name = 'AttemptVerdicts1764100000931';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table delivery_attempts add column tls_verdict text, add column tls_policy text',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
