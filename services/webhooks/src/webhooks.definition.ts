import type { ServiceDefinition } from '@postmesh/service-host';
import { RouteEntity, SEALED_ROUTE_SECRETS } from './database/route.entity.js';
import { SEALED_WEBHOOK_SECRETS, WebhookEntity } from './database/webhook.entity.js';
import { CreateRoutes1764100001060 } from './database/migrations/create-routes.js';
import { CreateWebhooks1764000000500 } from './database/migrations/create-webhooks.js';
import { FailByTime1764100001561 } from './database/migrations/fail-by-time.js';
import { ListWebhookEvents1764100001563 } from './database/migrations/list-webhook-events.js';
import { PruneByTime1764100001390 } from './database/migrations/prune-by-time.js';
import { TellPieceByPiece1764100001080 } from './database/migrations/tell-piece-by-piece.js';
import { AddSealedUrls1764100001562 } from './database/migrations/add-sealed-urls.js';
import { SEALED_ROUTE_URLS, SEALED_WEBHOOK_URLS } from './database/target-url.js';
import { WebhooksModule } from './webhooks.module.js';

export const WEBHOOKS_SERVICE: ServiceDefinition = {
  name: 'webhooks',
  module: WebhooksModule,
  database: {
    entities: [WebhookEntity, RouteEntity],
    migrations: [
      CreateWebhooks1764000000500,
      CreateRoutes1764100001060,
      TellPieceByPiece1764100001080,
      PruneByTime1764100001390,
      FailByTime1764100001561,
      AddSealedUrls1764100001562,
      ListWebhookEvents1764100001563,
    ],
    secrets: {
      sealed: [SEALED_WEBHOOK_SECRETS, SEALED_ROUTE_SECRETS, SEALED_WEBHOOK_URLS, SEALED_ROUTE_URLS],
    },
  },
};
