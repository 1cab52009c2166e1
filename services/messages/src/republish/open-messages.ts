import { Injectable } from '@nestjs/common';
import type { MessageId, SendRequestId } from '@postmesh/contracts';
import { UNNAMED } from '@postmesh/database';
import { DataSource, type EntityManager } from 'typeorm';
import type { AnnouncedRecipient, AnnouncedRow } from '../accept/send-request.rules.js';
import { OPEN_STATUSES } from '../message-status/message-status.rules.js';

/** Position of a pass: all messages accepted before `at` are checked, and those of that millisecond up to `id`. */
export interface PassCursor {
  at: Date;
  id: string | null;
}

export interface OpenMessage {
  id: MessageId;
  sendRequestId: SendRequestId;
  acceptedAt: Date;
}

export interface UnknownSendRequest extends AnnouncedRow {
  recipients: AnnouncedRecipient[];
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Messages with an open delivery, in the order of acceptance, and the position of each pass over them. */
@Injectable()
export class OpenMessages {
  constructor(private readonly dataSource: DataSource) {}

  /** Messages that were accepted before `until`. */
  after(cursor: PassCursor, until: Date, limit: number): Promise<OpenMessage[]> {
    return this.dataSource.query(OPEN, [cursor.at, until, cursor.id ?? NOBODY, OPEN_STATUSES, limit]);
  }

  /** The contents of their events, for messages that are not begun and can still be sent. */
  announced(sendRequests: readonly string[]): Promise<UnknownSendRequest[]> {
    return this.dataSource.query(ANNOUNCED, [sendRequests]);
  }

  /** @returns the time of the oldest event that the relay has not published; undefined where all are */
  async oldestUnpublished(): Promise<Date | undefined> {
    const rows: { createdAt: Date }[] = await this.dataSource.query(
      'select created_at as "createdAt" from outbox order by id limit 1',
    );
    return rows[0]?.createdAt;
  }

  /** A new pass begins a day back, at messages that may still be delivered. */
  async cursor(pass: string, until: Date): Promise<PassCursor> {
    await this.dataSource.query(
      `insert into republish_passes (pass, checked_until) values ($1, $2::timestamptz - interval '1 day')
       on conflict do nothing`,
      [pass, until],
    );
    const rows: PassCursor[] = await this.dataSource.query(
      'select checked_until as at, checked_id as id from republish_passes where pass = $1',
      [pass],
    );
    return rows[0] ?? { at: until, id: null };
  }

  /** @returns whether this process has moved it: a concurrent one may have been faster */
  async move(
    tx: EntityManager,
    pass: string,
    { from, to }: { from: PassCursor; to: PassCursor },
  ): Promise<boolean> {
    const [moved]: [unknown[], number] = await tx.query(
      `update republish_passes set checked_until = $4, checked_id = $5
       where pass = $1 and checked_until = $2 and checked_id is not distinct from $3::uuid returning pass`,
      [pass, from.at, from.id, to.at, to.id],
    );
    return moved.length > 0;
  }
}

// An index of open messages would be written twice per message, and prevent HOT updates: so a span of
// time is read. The first message has the id of its send request.
const OPEN = `${UNNAMED}
  select m.id, s.id as "sendRequestId", s.created_at as "acceptedAt"
  from send_requests s cross join lateral (
    select id, status from messages where id = s.id
    union all
    select id, status from messages where send_request_id = s.id and id <> send_request_id) m
  where s.created_at >= $1 and s.created_at < $2 and (s.created_at, m.id) > ($1, $3::uuid) and m.status = any($4)
  order by s.created_at, m.id limit $5`;

// The inbox of the delivery worker goes back eight days: for older messages it is unknown whether the event was
// consumed. A message that is begun was consumed, even if the delivery worker's database is older. The others are not
// begun, so a suppressed one was suppressed at acceptance.
const ANNOUNCED = `
  select s.id, s.account_id as "accountId", s.kind, s.domain_id as "domainId", s.domain, s.sender, s.subject,
    s.message_id_header as "messageIdHeader", s.content_id as "contentId", s.size, s.created_at as "createdAt",
    s.campaign_id as "campaignId", s.sender_name as "senderName",
    s.first_attempt as "firstAttempt", s.expires, s.sandbox, s.tags, s.track_opens as "trackOpens", s.track_clicks as "trackClicks",
    (select jsonb_agg(jsonb_build_object('id', m.id, 'email', m.recipient, 'subject', m.subject)
       || case when m.status = 'Suppressed' then '{"suppressed": true}'::jsonb else '{}'::jsonb end order by m.id)
     from messages m where m.id = s.id or (m.send_request_id = s.id and m.id <> m.send_request_id)) as recipients
  from send_requests s
  where s.id = any($1::uuid[]) and s.content_id is not null
    and s.created_at > now() - interval '7 days' and not exists (
    select from messages m where (m.id = s.id or (m.send_request_id = s.id and m.id <> m.send_request_id))
      and m.num_attempts > 0)
  order by s.created_at, s.id`;
