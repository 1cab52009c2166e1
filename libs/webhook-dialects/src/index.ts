export type { SignedCall, WebhookDialect } from './dialect.js';
export type { EventType } from './event.schema.js';
export {
  callInDialect,
  dialectOf,
  hasCounterpart,
  WEBHOOK_DIALECTS,
  WEBHOOK_DIALECT_NAMES,
  type WebhookDialectName,
} from './webhook-dialects.js';
export { webhookDialectsReference } from './webhook-dialects-reference.js';
