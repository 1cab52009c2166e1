import type { ServiceDefinition } from '@postmesh/service-host';
import { SEALED_WEBHOOK_SECRETS, WebhookEntity } from './database/webhook.entity.js';
import { CreateWebhooks1764000000500 } from './database/migrations/create-webhooks.js';
import { TellPieceByPiece1764100001080 } from './database/migrations/tell-piece-by-piece.js';
import { WebhooksModule } from './webhooks.module.js';

export const WEBHOOKS_SERVICE: ServiceDefinition = {
  name: 'webhooks',
  module: WebhooksModule,
  database: {
    entities: [WebhookEntity],
    migrations: [CreateWebhooks1764000000500, TellPieceByPiece1764100001080],
    secrets: { sealed: [SEALED_WEBHOOK_SECRETS] },
  },
};
