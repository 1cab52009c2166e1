export type { SignedCall } from './dialect.js';
export {
  callInDialect,
  dialectOf,
  hasCounterpart,
  WEBHOOK_DIALECT_NAMES,
  type WebhookDialectName,
} from './webhook-dialects.js';
export { webhookDialectsReference } from './webhook-dialects-reference.js';
