import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookRecoveryRequested, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { Replays } from '../replay/replays.js';

/** A member of an account asks for what a webhook or a route did not get (spec 2-messages §18 rule 13). */
@Injectable()
export class OnWebhookRecoveryRequested implements Consumer<typeof WebhookRecoveryRequested> {
  constructor(private readonly replays: Replays) {}

  @Consumes(WebhookRecoveryRequested, 'webhook-dispatcher.recover')
  async handle(tx: EntityManager, events: EventOf<typeof WebhookRecoveryRequested>[]): Promise<AfterCommit> {
    for (const { data } of events) {
      const { replay_id: id, webhook_id: endpoint_id, target = 'webhook', since } = data;
      await this.replays.begin(tx, { id, target, endpoint_id, kind: 'recover', since: new Date(since) });
    }
    return () => this.replays.wake();
  }
}
