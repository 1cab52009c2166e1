import type { EntityManager } from 'typeorm';
import { MessageId } from '@postmesh/contracts';
import { HAS_OWN_MESSAGES } from '../accept/send-request.rules.js';

// One SMTP transaction has 50 recipients at most, but clients may repeat a Message-ID.
const MAX_MESSAGES = 10_000;

/**
 * All messages (of an account) with this Message-ID, in the order of their recipients. A Message-ID of ours begins
 * with the id of the message, or of the first one where several share it; others are looked up by their text. Mail of
 * an account to itself has two records: outbound and inbound.
 * @param accountId null = any account
 * @param header with angle brackets
 */
export async function findByHeader(
  manager: Pick<EntityManager, 'query'>,
  accountId: string | null,
  header: string,
): Promise<MessageId[]> {
  const at = header.lastIndexOf('@');
  const id = MessageId.safeParse(header.slice(1, at));
  const rows: { id: MessageId }[] = await manager.query(BY_HEADER, [
    accountId,
    header,
    id.success && at > 0 ? id.data : null,
    header.slice(at + 1, -1).toLowerCase(),
    MAX_MESSAGES,
  ]);
  return rows.map((row) => row.id);
}

// $3, $4: id and domain of a Message-ID of ours
const BY_HEADER = `
  with own as (
    select m.id, s.id as send_request_id, s.kind from messages m join send_requests s on s.id = m.send_request_id
    where m.id = $3::uuid and ($1::uuid is null or m.account_id = $1) and s.domain = $4 and s.kind not in ('smtp', 'inbound')
      and (${HAS_OWN_MESSAGES} or m.id = s.id)),
  given as (
    select id from send_requests
    where kind = 'smtp' and md5(message_id_header) = md5($2) and message_id_header = $2
      and ($1::uuid is null or account_id = $1)
    union all
    select id from send_requests
    where kind = 'inbound' and md5(message_id_header) = md5($2) and message_id_header = $2
      and ($1::uuid is null or account_id = $1))
  select id from (
    select m.id from own cross join lateral (
      select own.id
      union all
      select m.id from messages m
      where own.kind = 'conversation' and m.send_request_id = own.send_request_id and m.id <> m.send_request_id) as m
    union all
    select m.id from given cross join lateral (
      select m.id from messages m where m.id = given.id
      union all
      select m.id from messages m where m.send_request_id = given.id and m.id <> m.send_request_id) as m) as found
  order by id limit $5`;
