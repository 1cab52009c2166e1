import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Transactional templates. A copy is immutable: the draft, the published copy and the versions of a template point to
 * copies, so publishing and restoring change a pointer instead of megabytes. A deleted template keeps its row and its
 * copies until it is purged.
 */
export class CreateTemplates1764100000800 implements MigrationInterface {
  name = 'CreateTemplates1764100000800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table templates (
      id uuid primary key,
      account_id uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      deleted_at timestamptz(3),
      name text not null,
      editor text not null check (editor in ('advanced', 'simple', 'html')),
      revision int not null default 1,
      published_id uuid,
      draft_id uuid,
      draft_at timestamptz(3),
      last_version int not null default 0
    )`);
    await runner.query('create index templates_newest on templates (account_id, created_at desc, id desc)');
    await runner.query(
      'create index templates_deleted on templates (deleted_at) where deleted_at is not null',
    );
    await runner.query(`create table template_copies (
      id uuid primary key,
      template_id uuid not null references templates on delete cascade,
      subject text not null,
      preheader text not null,
      sender_email text,
      sender_name text not null,
      reply_to text,
      mjml text,
      html text,
      text text,
      text_is_custom boolean not null,
      variables jsonb not null
    )`);
    await runner.query('create index template_copies_of_template on template_copies (template_id)');
    await runner.query(`create table template_versions (
      template_id uuid not null references templates on delete cascade,
      version int not null,
      id uuid not null unique,
      copy_id uuid not null,
      published_at timestamptz(3) not null,
      publisher_type text check (publisher_type in ('user', 'api_key')),
      publisher_id uuid,
      primary key (template_id, version)
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
