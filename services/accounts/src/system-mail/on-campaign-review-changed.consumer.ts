import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { CampaignReviewChanged } from '@postmesh/marketing-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { Notices } from './notices.js';
import { campaignReviewChanged } from './notices.rules.js';

@Controller()
export class OnCampaignReviewChanged {
  constructor(private readonly notices: Notices) {}

  @Consumes(CampaignReviewChanged, 'accounts.notify-of-campaign-reviews')
  async handle(
    @Payload() events: EventOf<typeof CampaignReviewChanged>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    await this.notices.send(tx, events, (name, reviews) =>
      reviews.map((event) => campaignReviewChanged(name, event.data)),
    );
  }
}
