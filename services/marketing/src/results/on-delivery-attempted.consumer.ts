import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeliveryAttempted, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { outcomeOfAttempt } from './recipient-outcomes.rules.js';
import { RecordOutcomes } from './record-outcomes.js';

/** What the delivery worker did moves the recipients of campaigns (spec 3-marketing §8.2). */
@Injectable()
export class OnDeliveryAttempted implements Consumer<typeof DeliveryAttempted> {
  constructor(private readonly outcomes: RecordOutcomes) {}

  @Consumes(DeliveryAttempted, 'marketing.delivery-outcomes')
  handle(tx: EntityManager, events: EventOf<typeof DeliveryAttempted>[]): Promise<AfterCommit | void> {
    const ofCampaigns = events.filter(({ data }) => data.campaign_id !== undefined);
    return this.outcomes.execute(tx, ofCampaigns.map(outcomeOfAttempt));
  }
}
