import type { ParsedLetter } from '@postmesh/mail-format';
import { shownStatus, type MessageStatus } from '../message-status/message-status.rules.js';

/** A row of `messages` with its submission and its attempts. */
export interface StoredMessage {
  id: string;
  account_id: string;
  submission_id: string;
  recipient: string;
  status: MessageStatus;
  num_attempts: number;
  open_count: number;
  click_count: number;
  bounce_classification: string;
  created_at: Date;
  updated_at: Date;
  sent_at: Date | null;
  delivered_at: Date | null;
  domain_id: string;
  domain: string;
  sender: string;
  subject: string;
  message_id_header: string;
  tags: string[];
  template_id: string | null;
  content_id: string | null;
  first_attempt: Date | null;
  hide_when_done: boolean;
  retain_data_until: Date;
  attempts: { time: string; log: string; status: string }[];
}

export interface ReadableContent {
  raw: string;
  parsed: ParsedLetter;
}

/** The resource `message` (spec 2-messages §3). */
export function toMessageResource(message: StoredMessage, content: ReadableContent | undefined, now: Date) {
  return {
    object: 'message',
    id: message.id,
    created_at: message.created_at.toISOString(),
    updated_at: message.updated_at.toISOString(),
    sent_at: message.sent_at?.toISOString() ?? null,
    delivered_at: message.delivered_at?.toISOString() ?? null,
    retain_until: message.retain_data_until.toISOString(),
    direction: 'outbound',
    is_bounce_notification: false,
    bounce_classification: message.bounce_classification,
    delivery_attempts: message.attempts,
    message_id: message.message_id_header,
    subject: message.subject,
    tags: message.tags,
    sender: message.sender,
    recipient: message.recipient,
    status: shownStatus(message.status, message.first_attempt, now),
    num_attempts: message.num_attempts,
    open_count: message.open_count,
    click_count: message.click_count,
    reference_message_id: null,
    domain_id: message.domain_id,
    account_id: message.account_id,
    template_id: message.template_id,
    ...(content ? { content: content.raw, content_parsed: content.parsed } : {}),
  };
}
