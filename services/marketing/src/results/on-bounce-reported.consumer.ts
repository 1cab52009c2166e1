import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { BounceReported, type EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { outcomeOfReport } from './recipient-outcomes.rules.js';
import { RecordOutcomes } from './record-outcomes.js';

/** A message of a campaign was accepted, and bounced later (spec 3-marketing §8.2). */
@Controller()
export class OnBounceReported {
  constructor(private readonly outcomes: RecordOutcomes) {}

  @Consumes(BounceReported, 'marketing.bounce-reports')
  async handle(
    @Payload() events: EventOf<typeof BounceReported>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const ofCampaigns = events.filter(({ data }) => data.campaign_id !== undefined);
    afterCommit(await this.outcomes.execute(tx, ofCampaigns.map(outcomeOfReport)));
  }
}
