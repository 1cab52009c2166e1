import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BounceReported, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { outcomeOfReport } from './recipient-outcomes.rules.js';
import { RecordOutcomes } from './record-outcomes.js';

/** A message of a campaign was accepted, and bounced later (spec 3-marketing §8.2). */
@Injectable()
export class OnBounceReported implements Consumer<typeof BounceReported> {
  constructor(private readonly outcomes: RecordOutcomes) {}

  @Consumes(BounceReported, 'marketing.bounce-reports')
  handle(tx: EntityManager, events: EventOf<typeof BounceReported>[]): Promise<AfterCommit | void> {
    const ofCampaigns = events.filter(({ data }) => data.campaign_id !== undefined);
    return this.outcomes.execute(tx, ofCampaigns.map(outcomeOfReport));
  }
}
