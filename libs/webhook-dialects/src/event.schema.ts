import { z } from 'zod';

const Attempt = z.object({
  classification: z.string().optional(),
  smtp_code: z.number(),
  enhanced_status_code: z.string().optional(),
  response: z.string().optional(),
  command: z.string().optional(),
});

const ofMessage = z.object({
  account_id: z.string(),
  from: z.string(),
  recipient: z.string(),
  subject: z.string(),
  message_id_header: z.string(),
  id: z.string(),
  is_bot: z.boolean(),
  delivery_attempt: Attempt.optional(),
  url: z.string().default(''),
  user_agent: z.string().default(''),
  ip: z.string().default(''),
});
export type MessageData = z.infer<typeof ofMessage>;

const ofSuppression = z.object({
  account_id: z.string(),
  recipient: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  reason: z.string(),
  sending_domain: z.string(),
});
export type SuppressionData = z.infer<typeof ofSuppression>;

/** `data` of our events by their type, as far as a dialect reads it (spec 2-messages §19). */
export const EVENT_DATA = {
  'message.reception': ofMessage,
  'message.delivered': ofMessage,
  'message.transient_error': ofMessage,
  'message.failed': ofMessage,
  'message.bounced': ofMessage,
  'message.suppressed': ofMessage,
  'message.opened': ofMessage,
  'message.clicked': ofMessage,
  'suppression.created': ofSuppression,
  'domain.dns_error': z.object({ domain: z.string() }),
} as const;

export type EventType = keyof typeof EVENT_DATA;
export type DataOf<T extends EventType> = z.infer<(typeof EVENT_DATA)[T]>;

/** The body of a call of ours. */
export const EventBody = z.object({ type: z.string(), timestamp: z.string(), data: z.unknown() });

// How suppressions came about (spec 2-messages §12, §15).
export const isComplaint = ({ reason }: SuppressionData): boolean => /^FBL .* Report$/.test(reason);
export const isUnsubscribe = ({ reason }: SuppressionData): boolean => reason === 'Unsubscribed';
export const isBounce = ({ reason }: SuppressionData): boolean => /^Too many .* bounces$/.test(reason);

/** A person's fetch: opens and clicks of programs have no flag in some dialects. */
export const isOfPerson = ({ is_bot }: MessageData): boolean => !is_bot;

/** The address of `Name <address>`. */
export const addressOf = (from: string): string => /<([^<>]*)>$/.exec(from)?.[1] ?? from;

export const withoutBrackets = (messageId: string): string => messageId.replace(/^<(.*)>$/, '$1');

/** 32 hexadecimal digits, after any prefix, as a UUID. */
export const uuidOf = (id: string): string =>
  id.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The ids of messages are of UUID version 7, which begins with the time (RFC 9562 §5.7). */
export const createdAt = ({ id }: MessageData): string =>
  new Date(Number.parseInt(id.slice(0, 12), 16)).toISOString();
