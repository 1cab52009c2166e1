import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookStopped, type EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type Consumer } from '@postmesh/service-host';
import { PostgresOwedCalls } from '../postgres/postgres-owed-calls.js';

/** A webhook was disabled or deleted: what it is still owed is dropped (spec 2-messages §17, §18.8). */
@Injectable()
export class OnWebhookStopped implements Consumer<typeof WebhookStopped> {
  constructor(
    private readonly calls: PostgresOwedCalls,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(WebhookStopped, 'webhook-dispatcher.stop')
  async handle(tx: EntityManager, events: EventOf<typeof WebhookStopped>[]): Promise<void> {
    const webhookIds = events.map(({ data }) => data.webhook_id);
    const dropped = await this.calls.drop(tx, webhookIds);
    this.logger.info({ webhook_ids: webhookIds, dropped }, 'webhooks stopped: owed calls dropped');
  }
}
