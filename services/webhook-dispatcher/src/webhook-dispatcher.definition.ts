import type { ServiceDefinition } from '@postmesh/service-host';
import { CountCrashes1764100001290 } from './database/migrations/count-crashes.js';
import { ClaimInTurns1764100000901 } from './database/migrations/claim-in-turns.js';
import { CreateWebhookDeliveries1764000000600 } from './database/migrations/create-webhook-deliveries.js';
import { FindCallsOfMessages1764500000080 } from './database/migrations/find-calls-of-messages.js';
import { KeepAttemptsByDay1764100001100 } from './database/migrations/keep-attempts-by-day.js';
import { ListFailedDeliveries1764100001760 } from './database/migrations/list-failed-deliveries.js';
import { LoseNoEvent1764100001560 } from './database/migrations/lose-no-event.js';
import { RecoveriesWait1764600000090 } from './database/migrations/recoveries-wait.js';
import { PrunePartitions1764100001400 } from './database/migrations/prune-partitions.js';
import { WebhookDispatcherModule } from './webhook-dispatcher.module.js';

export const WEBHOOK_DISPATCHER_SERVICE: ServiceDefinition = {
  name: 'webhook-dispatcher',
  module: WebhookDispatcherModule,
  database: {
    entities: [],
    migrations: [
      CreateWebhookDeliveries1764000000600,
      ClaimInTurns1764100000901,
      KeepAttemptsByDay1764100001100,
      PrunePartitions1764100001400,
      CountCrashes1764100001290,
      LoseNoEvent1764100001560,
      ListFailedDeliveries1764100001760,
      FindCallsOfMessages1764500000080,
      RecoveriesWait1764600000090,
    ],
  },
};
