import { Injectable } from '@nestjs/common';
import { CampaignChanges, type CampaignRef } from './campaign-changes.js';
import type { Campaign } from './campaign.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { requireDraft } from './update-campaign.js';

/** `DELETE …/campaigns/{id}`: a draft with its design; lists and templates stay. */
@Injectable()
export class DeleteCampaign {
  constructor(
    private readonly changes: CampaignChanges,
    private readonly campaigns: CampaignsRepository,
  ) {}

  /** @throws ApiError 401, 404 or 409; Transient */
  execute(ref: CampaignRef): Promise<Campaign> {
    return this.changes.change(ref, {
      decide: async (_manager, campaign) => requireDraft(campaign),
      apply: async (tx, campaign) => {
        await this.campaigns.delete(tx, campaign.id);
        return campaign;
      },
    });
  }
}
