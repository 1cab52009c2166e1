import type { MigrationInterface, QueryRunner } from 'typeorm';

const PASSKEYS = `
  create table passkeys (
    id uuid primary key,
    user_id uuid not null references users (id),
    label text not null,
    credential_id text not null unique,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3)
  );
  create index passkeys_of_user on passkeys (user_id);
  -- each is answered once; a sign-in has no user yet
  create table passkey_challenges (
    challenge_hash bytea primary key,
    purpose text not null check (purpose in ('register', 'sign-in', 'confirm')),
    user_id uuid references users (id),
    expires_at timestamptz(3) not null
  );
  create index passkey_challenges_by_end on passkey_challenges (expires_at);
  alter table sessions add column confirmed_at timestamptz(3);`;

export class CreatePasskeys1764200000701 implements MigrationInterface {
  name = 'CreatePasskeys1764200000701';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PASSKEYS);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
