import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';
import type { ParsedMessage } from '@postmesh/mail-format';
import { MESSAGE_STATUSES, shownStatus, type MessageStatus } from '../message-status/message-status.rules.js';

const count = z.number().int().min(0);

const Content = z
  .object({
    parts: z.array(z.object({ content_type: z.string(), content: z.string() })),
    attachments: z.array(
      z.object({
        filename: z.string(),
        content: z.string().meta({ description: 'Base64.' }),
        content_type: z.string(),
        content_id: z.string().meta({ description: 'Without angle brackets; empty when there is none.' }),
      }),
    ),
    headers: z.record(z.string(), z.array(z.string())),
  })
  .meta({ id: 'MessageContent', description: 'A message, taken apart.' });

/** The resource `message` (spec 2-messages §3). */
export const MessageResource = z
  .object({
    object: z.literal('message'),
    id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    sent_at: Timestamp.nullable().meta({ description: 'Start of the first attempt.' }),
    delivered_at: Timestamp.nullable().meta({ description: 'When the remote server took it.' }),
    retain_until: Timestamp.meta({ description: 'When its content is deleted.' }),
    direction: z.enum(['inbound', 'outbound']),
    is_bounce_notification: z.boolean(),
    bounce_classification: z.string().meta({ description: 'Empty when it did not bounce or fail.' }),
    delivery_attempts: z.array(
      z.object({
        time: Timestamp,
        log: z.string().meta({ description: 'What the remote server said.' }),
        status: z.string().meta({ description: '`Delivery`, `TransientFailure`, `Bounce`, `Expiration`, …' }),
      }),
    ),
    message_id: z.string().meta({ description: 'The Message-ID, with angle brackets.' }),
    subject: z.string(),
    tags: z.array(z.string()),
    sender: z.string(),
    recipient: z.string(),
    status: z.enum(MESSAGE_STATUSES),
    num_attempts: count,
    open_count: count,
    click_count: count,
    reference_message_id: z.number().int().nullable(),
    domain_id: z.uuid(),
    account_id: z.uuid(),
    template_id: z.uuid().nullable(),
    content: z
      .string()
      .optional()
      .meta({
        description: 'The message as it is sent (RFC 5322). Left out when it is not kept (any more).',
      }),
    content_parsed: Content.optional(),
  })
  .meta({ id: 'MessageRecord', description: 'A message to one recipient.' });
export type MessageResource = z.infer<typeof MessageResource>;

/** A row of `messages` with its send request and its attempts. */
export interface StoredMessage {
  id: string;
  account_id: string;
  send_request_id: string;
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
  parsed: ParsedMessage;
}

export function toMessageResource(
  message: StoredMessage,
  content: ReadableContent | undefined,
  now: Date,
): MessageResource {
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
