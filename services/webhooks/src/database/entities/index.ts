export { WebhookEntity } from './webhook.entity.js';
export type { WebhookScope } from './webhook.entity.js';
