import type { ServiceDefinition } from '@postmesh/service-host';
import { CreateMessages1764000000100 } from './database/migrations/create-messages.js';
import { CreateStatistics1764100000700 } from './database/migrations/create-statistics.js';
import { MessagesModule } from './messages.module.js';

export const MESSAGES_SERVICE: ServiceDefinition = {
  name: 'messages',
  module: MessagesModule,
  database: { entities: [], migrations: [CreateMessages1764000000100, CreateStatistics1764100000700] },
};
