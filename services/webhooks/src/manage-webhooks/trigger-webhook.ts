import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors, type Principal } from '@postmesh/contracts';
import type { WebhookEntity } from '../database/webhook.entity.js';
import { WEBHOOK } from '../endpoints/endpoint-kinds.js';
import { requireEnabled } from '../endpoints/endpoint.schema.js';
import { Endpoints } from '../endpoints/endpoints.js';
import { CallRequests, requestedCall } from '../request-calls/call-requests.js';
import { sampleEvent } from '../webhook-events/sample-events.rules.js';
import type { EventFlag } from '../webhook-events/webhook-events.table.js';

/** Sample events for one webhook, of any type, signed and counted like any other (spec 2-messages §21). */
@Injectable()
export class TriggerWebhook {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endpoints: Endpoints,
    private readonly requests: CallRequests,
  ) {}

  /** @throws ApiError 403, 404 or 409 */
  async execute(
    { principal, id }: { principal: Principal; id: string },
    events: readonly EventFlag[],
  ): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const webhook = await this.endpoints.hold(tx, WEBHOOK, { principal, action: 'write', id });
      await this.request(tx, webhook, events);
    });
  }

  /** The same for an operator, who has no account. @throws ApiError 404 or 409 */
  async executeForOperator(id: string, events: readonly EventFlag[]): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const webhook = await this.endpoints.lock(tx, WEBHOOK, { id, accountId: null });
      if (!webhook) throw ApiErrors.notFound('webhook');
      await this.request(tx, webhook, events);
    });
  }

  private async request(
    tx: EntityManager,
    webhook: WebhookEntity,
    events: readonly EventFlag[],
  ): Promise<void> {
    requireEnabled(WEBHOOK, webhook);
    const now = new Date();
    const calls = events.map((flag) =>
      requestedCall({ listener: webhook, event: sampleEvent(flag, webhook, now), trace: null }),
    );
    await this.requests.request(tx, calls);
  }
}
