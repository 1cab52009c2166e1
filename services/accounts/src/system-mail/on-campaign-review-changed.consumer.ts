import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CampaignReviewChanged, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { campaignReviewChanged } from './notices.rules.js';

@Injectable()
export class OnCampaignReviewChanged implements Consumer<typeof CampaignReviewChanged> {
  constructor(private readonly notices: Notices) {}

  @Consumes(CampaignReviewChanged, 'accounts.notify-of-campaign-reviews')
  async handle(tx: EntityManager, events: EventOf<typeof CampaignReviewChanged>[]): Promise<void> {
    await this.notices.send(tx, events, (name, reviews) =>
      reviews.map((event) => campaignReviewChanged(name, event.data)),
    );
  }
}
