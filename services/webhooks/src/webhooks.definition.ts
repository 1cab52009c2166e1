import type { ServiceDefinition } from '@postmesh/service-host';
import { CreateRoutes1764100001060 } from './database/migrations/create-routes.js';
import { CreateWebhooks1764000000500 } from './database/migrations/create-webhooks.js';
import { FailByTime1764100001561 } from './database/migrations/fail-by-time.js';
import { ListWebhookEvents1764100001563 } from './database/migrations/list-webhook-events.js';
import { PruneByTime1764100001390 } from './database/migrations/prune-by-time.js';
import { TellPieceByPiece1764100001080 } from './database/migrations/tell-piece-by-piece.js';
import { AddWebhookDialects1764400000020 } from './database/migrations/add-webhook-dialects.js';
import { DIALECT_SECRETS } from './database/webhook.entity.js';
import { AddSealedUrls1764100001562 } from './database/migrations/add-sealed-urls.js';
import { ENDPOINT_KINDS } from './endpoints/endpoint-kinds.js';
import { WebhooksModule } from './webhooks.module.js';

export const WEBHOOKS_SERVICE: ServiceDefinition = {
  name: 'webhooks',
  module: WebhooksModule,
  database: {
    entities: ENDPOINT_KINDS.map(({ entity }) => entity),
    migrations: [
      CreateWebhooks1764000000500,
      CreateRoutes1764100001060,
      TellPieceByPiece1764100001080,
      PruneByTime1764100001390,
      FailByTime1764100001561,
      AddSealedUrls1764100001562,
      ListWebhookEvents1764100001563,
      AddWebhookDialects1764400000020,
    ],
    secrets: {
      sealed: [
        ...ENDPOINT_KINDS.flatMap(({ sealedSecret, sealedUrl }) => [sealedSecret, sealedUrl]),
        DIALECT_SECRETS,
      ],
    },
  },
};
