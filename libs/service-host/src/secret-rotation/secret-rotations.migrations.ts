import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One row per kind of sealed secret whose rotation was requested. `key_ids` are those of the process that took the
 * request, the first is the key that seals everything; `finished_at` null = not done yet.
 */
class CreateSecretRotations1764100000400 implements MigrationInterface {
  name = 'CreateSecretRotations1764100000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table secret_rotations (
      kind text primary key,
      key_ids text[] not null,
      requested_at timestamptz(3) not null,
      finished_at timestamptz(3)
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

export const SECRET_ROTATION_MIGRATIONS = [CreateSecretRotations1764100000400] as const;
