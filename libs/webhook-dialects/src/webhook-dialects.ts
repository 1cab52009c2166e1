import type { Event, SentEvent, SignedCall, WebhookDialect } from './dialect.js';
import { EVENT_DATA, EventBody, type DataOf, type EventType } from './event.schema.js';
import { MAILGUN } from './mailgun/mailgun.dialect.js';
import { POSTMARK } from './postmark/postmark.dialect.js';
import { RESEND } from './resend/resend.dialect.js';
import { SENDGRID } from './sendgrid/sendgrid.dialect.js';

/** The dialects that a webhook can speak. A name is in rows, and must not change. */
export const WEBHOOK_DIALECTS = {
  resend: RESEND,
  postmark: POSTMARK,
  sendgrid: SENDGRID,
  mailgun: MAILGUN,
} as const satisfies Record<string, WebhookDialect>;

export type WebhookDialectName = keyof typeof WEBHOOK_DIALECTS;
export const WEBHOOK_DIALECT_NAMES = Object.keys(WEBHOOK_DIALECTS) as WebhookDialectName[];

export const dialectOf = (name: WebhookDialectName): WebhookDialect => WEBHOOK_DIALECTS[name];

/** Whether a dialect has a counterpart of this event; one of a later release has none. */
export const hasCounterpart = (name: WebhookDialectName, event: { type: string; data: unknown }): boolean =>
  counterpartOf(name, event) !== undefined;

export interface CallInOurForm {
  /** the JSON text of our call */
  readonly body: string;
  readonly messageId: string;
  /** of this attempt */
  readonly at: Date;
  /** empty where the dialect has none */
  readonly secret: string;
}

/**
 * The call of an attempt in a dialect. All of it but time and signature is the same on every retry.
 * @throws when the event has no counterpart: `hasCounterpart` says so before
 */
export function callInDialect(
  name: WebhookDialectName,
  { body, messageId, at, secret }: CallInOurForm,
): SignedCall {
  const { type, timestamp, data } = EventBody.parse(JSON.parse(body));
  const found = counterpartOf(name, { type, data });
  if (!found) throw new Error(`${name} has no counterpart of ${type}`);
  const payload = found.payload({ at: new Date(timestamp), messageId });
  return WEBHOOK_DIALECTS[name].sign({ payload, messageId, at, secret });
}

function counterpartOf(name: WebhookDialectName, { type, data }: { type: string; data: unknown }) {
  if (!(type in EVENT_DATA)) return undefined;
  const known = type as EventType;
  const row = WEBHOOK_DIALECTS[name].events[known] as SentEvent<EventType> | { unsent: string };
  if ('unsent' in row) return undefined;
  const { data: parsed } = EVENT_DATA[known].safeParse(data) as { data?: DataOf<EventType> };
  if (!parsed || (row.when && !row.when(parsed))) return undefined;
  return {
    payload: ({ at, messageId }: Pick<Event, 'at' | 'messageId'>) =>
      row.payload({ type: known, at, messageId, data: parsed }),
  };
}
