import { z } from 'zod';
import { pageOf, Timestamp } from '@postmesh/contracts';
import type { ParsedMessage } from '@postmesh/mail-format';
import { MESSAGE_STATUSES, shownStatus } from '../message-status/message-status.rules.js';
import type { StoredMessage } from './messages.repository.js';

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
        log: z.string().meta({ description: 'The words of the remote server.' }),
        status: z.string().meta({
          description:
            '`Delivery`, `TransientFailure`, `Bounce`, `Expiration`, `Suppression`, `Cancellation`.',
        }),
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
    content: z.string().optional().meta({
      description:
        'The message as it is sent, or as it came (RFC 5322). Left out when it is not kept (any more).',
    }),
    content_parsed: Content.optional(),
  })
  .meta({ id: 'MessageRecord', description: 'A message to one recipient.' });
export type MessageResource = z.infer<typeof MessageResource>;

/** Without contents. */
export const MessagePage = pageOf(
  MessageResource.omit({ content: true, content_parsed: true }).meta({
    id: 'MessageSummary',
    description: 'A message to one recipient, without its content.',
  }),
);

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
    created_at: message.createdAt.toISOString(),
    updated_at: message.updatedAt.toISOString(),
    sent_at: message.sentAt?.toISOString() ?? null,
    delivered_at: message.deliveredAt?.toISOString() ?? null,
    retain_until: message.retainDataUntil.toISOString(),
    direction: message.kind === 'inbound' ? 'inbound' : 'outbound',
    is_bounce_notification: message.isBounceNotification,
    bounce_classification: message.bounceClassification,
    delivery_attempts: message.attempts.map(({ finishedAt, log, status }) => ({
      time: finishedAt,
      log,
      status,
    })),
    message_id: message.messageIdHeader,
    subject: message.subject,
    tags: message.tags,
    sender: message.sender,
    recipient: message.recipient,
    status: shownStatus(message.status, message.firstAttempt, now),
    num_attempts: message.numAttempts,
    open_count: message.openCount,
    click_count: message.clickCount,
    reference_message_id: message.referenceSeq === null ? null : Number(message.referenceSeq),
    domain_id: message.domainId,
    account_id: message.accountId,
    template_id: message.templateId,
    ...(content ? { content: content.raw, content_parsed: content.parsed } : {}),
  };
}
