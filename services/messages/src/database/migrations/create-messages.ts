import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a request says once stands in `send requests`, what differs per recipient in `messages`: a request
 * with 50 recipients writes its subject once. The send request's id is the id of its first message, which is
 * also the UUID inside the Message-ID, so that no further index is needed to find either.
 */
export class CreateMessages1764000000100 implements MigrationInterface {
  name = 'CreateMessages1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table send_requests (
      id uuid primary key,
      account_id uuid not null,
      kind text not null check (kind in ('conversation', 'regular', 'template', 'smtp')),
      domain_id uuid not null,
      domain text not null,
      sender text not null,
      subject text not null,
      message_id_header text not null,
      tags text[] not null,
      template_id uuid,
      content_id uuid,
      size int not null,
      track_opens boolean not null,
      track_clicks boolean not null,
      sandbox text,
      first_attempt timestamptz(3),
      expires timestamptz(3),
      created_at timestamptz(3) not null,
      hide_when_done boolean not null,
      retain_data_until timestamptz(3) not null,
      retain_metadata_until timestamptz(3) not null
    )`);
    await runner.query(`create table messages (
      id uuid primary key,
      seq bigint generated always as identity,
      send_request_id uuid not null,
      account_id uuid not null,
      recipient text not null,
      recipient_name text not null,
      status text not null,
      num_attempts int not null default 0,
      open_count int not null default 0,
      click_count int not null default 0,
      bounce_classification text not null default '',
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      sent_at timestamptz(3),
      delivered_at timestamptz(3)
    ) with (fillfactor = 85)`);
    await runner.query('create index messages_newest on messages (account_id, created_at desc, id desc)');
    // the first message of a send request has the send request's id; only the others need an index
    await runner.query(
      'create index messages_further on messages (send_request_id) where id <> send_request_id',
    );
    await runner.query(`create table delivery_attempts (
      message_id uuid not null,
      at timestamptz(3) not null,
      position int not null,
      status text not null,
      log text not null,
      primary key (message_id, position)
    )`);
    await runner.query(
      'create index send_requests_data_due on send_requests (retain_data_until) where content_id is not null',
    );
    await runner.query(
      'create index send_requests_metadata_due on send_requests using brin (retain_metadata_until)',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
