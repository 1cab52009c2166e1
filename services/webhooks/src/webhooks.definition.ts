import type { ServiceDefinition } from '@postmesh/service-host';
import { SEALED_WEBHOOK_SECRETS, WebhookEntity } from './database/webhook.entity.js';
import { CreateWebhooks1764000000500 } from './database/migrations/create-webhooks.js';
import { WebhooksModule } from './webhooks.module.js';

export const WEBHOOKS_SERVICE: ServiceDefinition = {
  name: 'webhooks',
  module: WebhooksModule,
  database: {
    entities: [WebhookEntity],
    migrations: [CreateWebhooks1764000000500],
    secrets: { sealed: [SEALED_WEBHOOK_SECRETS] },
  },
};
