import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  ApiErrors,
  mayTouch,
  newId,
  readTime,
  WebhookRecoveryRequested,
  type Principal,
} from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { requireUse } from '../manage-routes/route-scope.rules.js';
import { RouteErrors } from '../manage-routes/route.schema.js';
import { RoutesRepository } from '../manage-routes/routes.repository.js';
import { WebhookErrors } from '../manage-webhooks/webhook.schema.js';
import { WebhooksRepository } from '../manage-webhooks/webhooks.repository.js';
import type { RecoverBody } from './recover.schema.js';

const DAY_MS = 86_400_000;

export interface RecoverCommand {
  principal: Principal;
  target: 'webhook' | 'route';
  id: string;
  input: RecoverBody;
}

/** `POST …/webhooks/{id}/recover` and `POST …/routes/{id}/recover` (spec 2-messages §18 rule 13). */
@Injectable()
export class RecoverEndpoint {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly routes: RoutesRepository,
    private readonly outbox: Outbox,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ApiError 403, 404, or 409 while it is disabled */
  async execute({ principal, target, id, input }: RecoverCommand): Promise<void> {
    const { account_id } = principal;
    const keptSince = new Date(Date.now() - this.settings.webhookReplayDays * DAY_MS);
    const since = (readTime(input.since ?? '') ?? keptSince).toISOString();
    await this.dataSource.transaction(async (tx) => {
      if (target === 'webhook') {
        const webhook = await this.webhooks.lock(tx, account_id, id);
        if (!webhook) throw ApiErrors.notFound('webhook');
        if (!mayTouch(principal, 'webhooks:write', webhook.domains)) {
          throw ApiErrors.missingDomainScope('webhooks:write');
        }
        if (!webhook.enabled) throw WebhookErrors.disabled();
      } else {
        const route = await this.routes.lock(tx, account_id, id);
        if (!route) throw ApiErrors.notFound('route');
        requireUse(principal, 'write', route.recipient_domain);
        if (!route.enabled) throw RouteErrors.disabled();
      }
      const ofRoute = target === 'route' ? { target } : {};
      const data = { replay_id: newId(), webhook_id: id, ...ofRoute, since };
      await this.outbox.add(tx, WebhookRecoveryRequested.make(data, { account_id }));
    });
  }
}
