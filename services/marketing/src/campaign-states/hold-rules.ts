import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { CampaignState } from './campaign-moves.js';
import type { ReviewCause } from './campaign-state.rules.js';
import { mayBounceTooMuch, type CheckedContacts } from './contact-check.rules.js';
import { VARIANT_CONTENTS } from '../trials/variant-contents.sql.js';
import { ContentCheck, type CheckedContent } from './content-check.js';

/** Whether a campaign is held for an operator (spec 3-marketing §6.4), the cheapest check first. */
@Injectable()
export class HoldRules {
  constructor(
    private readonly dataSource: DataSource,
    private readonly content: ContentCheck,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @returns undefined when reviews are switched off: no campaign is held then */
  async cause({ id, accountId }: CampaignState, checked: CheckedContacts): Promise<ReviewCause | undefined> {
    if (!this.settings.campaignReview) return undefined;
    const [account]: { every: boolean }[] = await this.dataSource.query(
      'select review_every_campaign as every from marketing_limits where account_id = $1',
      [accountId],
    );
    if (account?.every) return 'every_campaign';
    if (mayBounceTooMuch(checked)) return 'bounces';
    const contents: CheckedContent[] = await this.dataSource.query(
      `select campaign_id, account_id, from_email as "from", subject, preheader, html, text
       from (${VARIANT_CONTENTS}) as contents order by variant`,
      [id],
    );
    for (const content of contents) if (await this.content.needsReview(content)) return 'content';
    return undefined;
  }
}
