import type { DataSource } from 'typeorm';
import { newId } from '@postmesh/contracts';

export interface StoredMessage {
  id: string;
  createdAt: Date;
  domain: string;
  sender: string;
  recipient: string;
  subject: string;
  tags: string[];
  status: string;
  firstAttempt?: Date | null;
}

/** Inserts messages directly, each with its own send request: thousands at once. */
export async function storeMessages(
  dataSource: DataSource,
  accountId: string,
  messages: readonly StoredMessage[],
): Promise<void> {
  const column = (read: (message: StoredMessage) => unknown) => messages.map(read);
  await dataSource.query(
    `with given as (
       select * from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
         $9::text[], $10::timestamptz[])
         as given(id, at, domain, sender, recipient, subject, tags, status, first_attempt)),
     requests as (
       insert into send_requests (id, account_id, kind, domain_id, domain, sender, subject, message_id_header, tags, size,
         track_opens, track_clicks, first_attempt, created_at, hide_when_done, retain_data_until, retain_metadata_until)
       select id, $1::uuid, 'conversation', $11::uuid, domain, sender, subject, '<' || id || '@' || domain || '>',
         string_to_array(tags, ','), 1, false, false, first_attempt, at, false, now() + interval '1 day',
         now() + interval '1 day' from given)
     insert into messages (id, send_request_id, account_id, recipient, recipient_name, status, created_at, updated_at)
     select id, id, $1::uuid, recipient, '', status, at, at from given`,
    [
      accountId,
      column(({ id }) => id),
      column(({ createdAt }) => createdAt.toISOString()),
      column(({ domain }) => domain),
      column(({ sender }) => sender),
      column(({ recipient }) => recipient),
      column(({ subject }) => subject),
      column(({ tags }) => tags.join(',')),
      column(({ status }) => status),
      column(({ firstAttempt }) => firstAttempt?.toISOString() ?? null),
      newId(),
    ],
  );
}
