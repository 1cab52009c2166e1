import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId, DomainId, MessageId, SendRequestId } from '@postmesh/contracts';
import { HAS_OWN_MESSAGES } from '../accept/send-request.rules.js';
import type { DeliveryAttemptRow } from '../message-status/delivery-outcomes.rules.js';
import type { StoredStatus } from '../message-status/message-status.rules.js';
import { findByHeader } from './find-by-header.js';
import type { MessageReference } from './message-id.rules.js';

/** A stored message with its send request and its attempts. */
export interface StoredMessage {
  id: MessageId;
  sendRequestId: SendRequestId;
  accountId: AccountId;
  recipient: string;
  status: StoredStatus;
  numAttempts: number;
  openCount: number;
  clickCount: number;
  bounceClassification: string;
  createdAt: Date;
  updatedAt: Date;
  sentAt: Date | null;
  deliveredAt: Date | null;
  isBounceNotification: boolean;
  /** `seq` of the bounced message of a bounce notification */
  referenceSeq: string | null;
  kind: string;
  campaignId: string | null;
  domainId: DomainId;
  domain: string;
  sender: string;
  subject: string;
  messageIdHeader: string;
  tags: string[];
  templateId: string | null;
  contentId: string | null;
  size: number;
  trackOpens: boolean;
  trackClicks: boolean;
  sandbox: string | null;
  firstAttempt: Date | null;
  expires: Date | null;
  hideWhenDone: boolean;
  retainDataUntil: Date;
  retainMetadataUntil: Date;
  /** oldest first; times in RFC 3339, UTC */
  attempts: StoredAttempt[];
}

export type StoredAttempt = Omit<DeliveryAttemptRow, 'messageId' | 'position'>;

/** An open or a click, by a person or a machine. */
export interface StoredFetch {
  kind: 'open' | 'click';
  at: Date;
  url: string | null;
  ip: string;
  /** null until it is classified */
  isBot: boolean | null;
}

// A message on a mailing list may be opened without end.
const MAX_FETCHES = 100;

@Injectable()
export class MessagesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns also a message after its retention that is not purged yet */
  async find(id: MessageId): Promise<StoredMessage | undefined> {
    const [message] = await this.findAll([id]);
    return message;
  }

  /** The existing ones, in the order of the ids. */
  async findAll(ids: readonly string[]): Promise<StoredMessage[]> {
    if (ids.length === 0) return [];
    const rows: StoredMessage[] = await this.dataSource.query(FIND, [ids]);
    const byId = new Map<string, StoredMessage>(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /**
   * The message with the id, or all with the Message-ID, in the order of the recipients. Includes messages of
   * campaigns, although no list has them (spec 3-marketing §7.7).
   * @param accountId null = any account
   */
  async findReferred(accountId: AccountId | null, reference: MessageReference): Promise<StoredMessage[]> {
    const ids =
      'id' in reference
        ? [reference.id]
        : await findByHeader(this.dataSource.manager, accountId, reference.header);
    const found = await this.findAll(ids);
    return accountId === null ? found : found.filter((message) => message.accountId === accountId);
  }

  /** The first opens and clicks of a message. */
  findFetches(id: MessageId): Promise<StoredFetch[]> {
    return this.dataSource.query(
      `select kind, at, url, ip, is_bot as "isBot" from tracked_fetches where message_id = $1 order by at limit $2`,
      [id, MAX_FETCHES],
    );
  }
}

const utc = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const FIND = `
  select m.id, m.send_request_id as "sendRequestId", m.account_id as "accountId", m.recipient, m.status,
    m.num_attempts as "numAttempts", m.open_count as "openCount", m.click_count as "clickCount",
    m.bounce_classification as "bounceClassification", m.created_at as "createdAt", m.updated_at as "updatedAt",
    m.sent_at as "sentAt", m.delivered_at as "deliveredAt",
    m.is_bounce_notification as "isBounceNotification", m.reference_seq as "referenceSeq",
    s.kind, s.campaign_id as "campaignId", s.domain_id as "domainId", s.domain, s.sender,
    coalesce(m.subject, s.subject) as subject,
    case when ${HAS_OWN_MESSAGES} then '<' || m.id || '@' || s.domain || '>' else s.message_id_header end
      as "messageIdHeader",
    s.tags, s.template_id as "templateId", s.content_id as "contentId", s.size, s.track_opens as "trackOpens",
    s.track_clicks as "trackClicks", s.sandbox,
    s.first_attempt as "firstAttempt", s.expires, s.hide_when_done as "hideWhenDone",
    s.retain_data_until as "retainDataUntil", s.retain_metadata_until as "retainMetadataUntil",
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'startedAt', ${utc('a.started_at')}, 'finishedAt', ${utc('a.finished_at')}, 'status', a.status,
        'log', a.log, 'classification', a.classification, 'replyRule', a.reply_rule,
        'remoteHost', a.remote_host,
        'remoteAddress', a.remote_address, 'tls', a.tls, 'tlsProtocol', a.tls_protocol, 'tlsCipher', a.tls_cipher,
        'tlsVerdict', a.tls_verdict, 'tlsPolicy', a.tls_policy, 'source', a.source,
        'uncertain', a.uncertain, 'nextAttemptAt', ${utc('a.next_attempt_at')}) order by a.position)
      from delivery_attempts a where a.message_id = m.id), '[]') as attempts
  from messages m join send_requests s on s.id = m.send_request_id
  where m.id = any($1::uuid[])`;
