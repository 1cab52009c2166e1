import type { ServiceDefinition } from '@postmesh/service-host';
import { AddAccountEvents1764000000140 } from './database/migrations/add-account-events.js';
import { AddUnheardSweep1764000000110 } from './database/migrations/add-unheard-sweep.js';
import { CreateMessages1764000000100 } from './database/migrations/create-messages.js';
import { AddUsage1764000000130 } from './database/migrations/add-usage.js';
import { IndexPurge1764000000120 } from './database/migrations/index-purge.js';
import { IndexUsage1764000000150 } from './database/migrations/index-usage.js';
import { MessagesModule } from './messages.module.js';

export const MESSAGES_SERVICE: ServiceDefinition = {
  name: 'messages',
  module: MessagesModule,
  database: {
    entities: [],
    migrations: [
      CreateMessages1764000000100,
      AddUnheardSweep1764000000110,
      IndexPurge1764000000120,
      AddUsage1764000000130,
      AddAccountEvents1764000000140,
      IndexUsage1764000000150,
    ],
  },
};
