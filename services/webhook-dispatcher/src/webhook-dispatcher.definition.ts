import type { ServiceDefinition } from '@postmesh/service-host';
import { CreateWebhookDeliveries1764000000600 } from './database/migrations/create-webhook-deliveries.js';
import { WebhookDispatcherModule } from './webhook-dispatcher.module.js';

export const WEBHOOK_DISPATCHER_SERVICE: ServiceDefinition = {
  name: 'webhook-dispatcher',
  module: WebhookDispatcherModule,
  database: { entities: [], migrations: [CreateWebhookDeliveries1764000000600] },
};
