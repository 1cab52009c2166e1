import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { WebhookRecoveryRequested } from '@postmesh/webhooks-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { Replays } from '../replay/replays.js';

/** A member of an account requests the recovery of a webhook's or route's missed events (spec 2-messages §18 rule 13). */
@Controller()
export class OnWebhookRecoveryRequested {
  constructor(private readonly replays: Replays) {}

  @Consumes(WebhookRecoveryRequested, 'webhook-dispatcher.recover')
  async handle(
    @Payload() events: EventOf<typeof WebhookRecoveryRequested>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    for (const { data } of events) {
      const { replay_id: id, webhook_id: endpoint_id, target = 'webhook', since } = data;
      await this.replays.beginOrWait(tx, {
        id,
        target,
        endpoint_id,
        kind: 'recover',
        since: new Date(since),
      });
    }
    afterCommit(() => this.replays.wake());
  }
}
