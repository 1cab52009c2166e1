import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newId, readTime, type Principal } from '@postmesh/contracts';
import { WebhookRecoveryRequested } from '@postmesh/webhooks-contract';
import { Outbox } from '@postmesh/events';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { targetInEvents, type EndpointKind } from '../endpoints/endpoint-kinds.js';
import { requireEnabled } from '../endpoints/endpoint.schema.js';
import { Endpoints } from '../endpoints/endpoints.js';
import type { RecoverBody } from './recover.schema.js';

const DAY_MS = 86_400_000;

export interface RecoverCommand {
  principal: Principal;
  id: string;
  input: RecoverBody;
}

/** `POST …/webhooks/{id}/recover` and `POST …/routes/{id}/recover` (spec 2-messages §18 rule 13). */
@Injectable()
export class RecoverEndpoint {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endpoints: Endpoints,
    private readonly outbox: Outbox,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ApiError 403, 404, or 409 while it is disabled */
  async execute(kind: EndpointKind, { principal, id, input }: RecoverCommand): Promise<void> {
    const keptSince = new Date(Date.now() - this.settings.webhookReplayDays * DAY_MS);
    const since = (readTime(input.since ?? '') ?? keptSince).toISOString();
    await this.dataSource.transaction(async (tx) => {
      requireEnabled(kind, await this.endpoints.hold(tx, kind, { principal, action: 'write', id }));
      const data = { replay_id: newId(), webhook_id: id, ...targetInEvents(kind), since };
      const { account_id } = principal;
      await this.outbox.add(tx, WebhookRecoveryRequested.make(data, { account_id }));
    });
  }
}
