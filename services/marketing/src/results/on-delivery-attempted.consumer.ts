import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DeliveryAttempted, type EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { outcomeOfAttempt } from './recipient-outcomes.rules.js';
import { RecordOutcomes } from './record-outcomes.js';

/** What the delivery worker did moves the recipients of campaigns (spec 3-marketing §8.2). */
@Controller()
export class OnDeliveryAttempted {
  constructor(private readonly outcomes: RecordOutcomes) {}

  @Consumes(DeliveryAttempted, 'marketing.delivery-outcomes')
  async handle(
    @Payload() events: EventOf<typeof DeliveryAttempted>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const ofCampaigns = events.filter(({ data }) => data.campaign_id !== undefined);
    afterCommit(await this.outcomes.execute(tx, ofCampaigns.map(outcomeOfAttempt)));
  }
}
