import type { ServiceDefinition } from '@postmesh/service-host';
import { CountCrashes1764100001280 } from './database/migrations/count-crashes.js';
import { CancelDeliveries1764100000830 } from './database/migrations/cancel-deliveries.js';
import { ClaimInTurns1764100000900 } from './database/migrations/claim-in-turns.js';
import { CreateDeliveries1764000000100 } from './database/migrations/create-deliveries.js';
import { CreateMxDomains1764100000910 } from './database/migrations/create-mx-domains.js';
import { CreateSlowNotices1764100002010 } from './database/migrations/create-slow-notices.js';
import { CreateStsPolicies1764100000930 } from './database/migrations/create-sts-policies.js';
import { CreateShaping1764100000920 } from './database/migrations/create-shaping.js';
import { CreateSuppressions1764100000510 } from './database/migrations/create-suppressions.js';
import { KeepEgressSource1764100000940 } from './database/migrations/keep-egress-source.js';
import { KeepOutcomes1764100001260 } from './database/migrations/keep-outcomes.js';
import { IndexUnknownGroups1764100000911 } from './database/migrations/index-unknown-groups.js';
import { ForgetStsPolicies1764100001370 } from './database/migrations/forget-sts-policies.js';
import { CreateBudgets1764100001970 } from './database/migrations/create-budgets.js';
import { CreateTlsSessions1764600000040 } from './database/migrations/create-tls-sessions.js';
import { CreateWays1764100001960 } from './database/migrations/create-ways.js';
import { SEALED_RELAY_PASSWORDS } from './ways/ways-rows.js';
import { DeliveryWorkerModule } from './delivery-worker.module.js';

export const DELIVERY_WORKER_SERVICE: ServiceDefinition = {
  name: 'delivery-worker',
  module: DeliveryWorkerModule,
  database: {
    entities: [],
    migrations: [
      CreateDeliveries1764000000100,
      CreateSuppressions1764100000510,
      CancelDeliveries1764100000830,
      ClaimInTurns1764100000900,
      CreateMxDomains1764100000910,
      CreateStsPolicies1764100000930,
      IndexUnknownGroups1764100000911,
      CreateShaping1764100000920,
      KeepEgressSource1764100000940,
      KeepOutcomes1764100001260,
      ForgetStsPolicies1764100001370,
      CountCrashes1764100001280,
      CreateWays1764100001960,
      CreateBudgets1764100001970,
      CreateSlowNotices1764100002010,
      CreateTlsSessions1764600000040,
    ],
    secrets: { sealed: [SEALED_RELAY_PASSWORDS] },
  },
};
