import type { ServiceDefinition } from '@postmesh/service-host';
import { AddHeld1764000000110 } from './database/migrations/add-held.js';
import { AddLanes1764000000101 } from './database/migrations/add-lanes.js';
import { CreateDeliveries1764000000100 } from './database/migrations/create-deliveries.js';
import { DeliveryWorkerModule } from './delivery-worker.module.js';

export const DELIVERY_WORKER_SERVICE: ServiceDefinition = {
  name: 'delivery-worker',
  module: DeliveryWorkerModule,
  database: {
    entities: [],
    migrations: [CreateDeliveries1764000000100, AddLanes1764000000101, AddHeld1764000000110],
  },
};
