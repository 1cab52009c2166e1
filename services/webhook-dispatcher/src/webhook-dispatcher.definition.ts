import type { ServiceDefinition } from '@postmesh/service-host';
import { CreateOwedCalls1764000000600 } from './database/migrations/create-owed-calls.js';
import { WebhookDispatcherModule } from './webhook-dispatcher.module.js';

export const WEBHOOK_DISPATCHER_SERVICE: ServiceDefinition = {
  name: 'webhook-dispatcher',
  module: WebhookDispatcherModule,
  database: { entities: [], migrations: [CreateOwedCalls1764000000600] },
};
