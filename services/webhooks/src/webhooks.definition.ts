import type { ServiceDefinition } from '@postmesh/service-host';
import { WebhookEntity } from './database/entities/index.js';
import { MIGRATIONS } from './database/migrations/index.js';
import { WebhooksModule } from './webhooks.module.js';

export const WEBHOOKS_SERVICE: ServiceDefinition = {
  name: 'webhooks',
  module: WebhooksModule,
  database: { entities: [WebhookEntity], migrations: MIGRATIONS },
};
