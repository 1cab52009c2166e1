import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { CampaignChanges } from '../campaigns/campaign-changes.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { requireDraft } from '../campaigns/update-campaign.js';
import { SegmentErrors } from './segment.schema.js';

/** The segments that a campaign is sent to, in addition to its lists. */
@Injectable()
export class CampaignAudiences {
  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: CampaignsRepository,
    private readonly changes: CampaignChanges,
  ) {}

  /** @throws ApiError 404 */
  async get(accountId: AccountId, campaignId: string): Promise<string[]> {
    const { manager } = this.dataSource;
    if (!(await this.campaigns.find(manager, accountId, campaignId))) throw ApiErrors.notFound('campaign');
    const rows: { id: string }[] = await manager.query(
      'select segment_id as id from campaign_segments where campaign_id = $1 order by segment_id',
      [campaignId],
    );
    return rows.map(({ id }) => id);
  }

  /** @throws ApiError 400, 401, 404, or 409 unless it is a draft; Transient */
  put(accountId: AccountId, id: string, segmentIds: readonly string[]): Promise<void> {
    return this.changes.change(
      { principal: { account_id: accountId }, id },
      {
        decide: async (manager, campaign) => {
          requireDraft(campaign);
          const rows: { id: string }[] = await manager.query(
            'select id from segments where id = any($1::uuid[]) and account_id = $2 order by id for key share',
            [segmentIds, accountId],
          );
          const known = new Set(rows.map((row) => row.id));
          const missing = segmentIds.find((one) => !known.has(one));
          if (missing !== undefined) throw SegmentErrors.missing(missing);
        },
        apply: async (tx) => {
          await tx.query('delete from campaign_segments where campaign_id = $1', [id]);
          await tx.query(
            'insert into campaign_segments (campaign_id, segment_id) select $1, unnest($2::uuid[])',
            [id, segmentIds],
          );
        },
      },
    );
  }
}
