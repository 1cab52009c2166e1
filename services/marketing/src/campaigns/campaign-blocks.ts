import { Injectable } from '@nestjs/common';
import type { AccountId, Principal } from '@postmesh/contracts';
import {
  CAMPAIGN_CONTENT,
  designBlocks,
  Designs,
  htmlOfBlocks,
  requireSimple,
  type DesignBlocks,
  type DesignBlocksBody,
  type DesignJob,
  type DesignShare,
} from '@postmesh/designs';
import { ReadCampaigns } from './read-campaigns.js';
import { requireDraft, UpdateCampaign } from './update-campaign.js';

interface Write {
  principal: Principal;
  id: string;
  input: DesignBlocksBody;
  share: DesignShare;
}

/** The blocks of a campaign: the console makes designs that only operators could put in before (decision 126). */
@Injectable()
export class CampaignBlocks {
  constructor(
    private readonly campaigns: ReadCampaigns,
    private readonly change: UpdateCampaign,
    private readonly designs: Designs,
  ) {}

  /** @throws ApiError 404 */
  async read(accountId: AccountId, id: string): Promise<DesignBlocks> {
    return designBlocks((await this.campaigns.find(accountId, id)).campaign);
  }

  /** @throws ApiError 400, 401, 404 or 409; Transient */
  async write({ principal, id, input, share }: Write): Promise<DesignBlocks> {
    const { campaign } = await this.campaigns.find(principal.account_id, id);
    requireDraft(campaign);
    if (campaign.editor !== null) requireSimple(campaign);
    const make = (job: DesignJob) => this.designs.make(share, job);
    const html = await htmlOfBlocks(input.blocks, { policy: CAMPAIGN_CONTENT, make });
    const content = { html, text: input.text ?? null };
    // the change checks both again, under its lock
    const written = await this.change.execute({
      principal,
      id,
      input: { blocks: input.blocks, content },
      share,
    });
    return designBlocks(written.campaign);
  }
}
