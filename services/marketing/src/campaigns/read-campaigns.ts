import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import type { PageQuery } from '@postmesh/http';
import { shown } from './campaign-issues.rules.js';
import { CampaignSenders } from './campaign-senders.js';
import type { ShownCampaign } from './campaign.js';
import type { CampaignFilters } from './campaign.schema.js';
import { CampaignsRepository, type ListedCampaign } from './campaigns.repository.js';

/** Reading campaigns; drafts have their current issues. */
@Injectable()
export class ReadCampaigns {
  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: CampaignsRepository,
    private readonly senders: CampaignSenders,
  ) {}

  /** @throws ApiError 404 */
  async find(accountId: AccountId, id: string): Promise<ShownCampaign> {
    const { manager } = this.dataSource;
    const campaign = await this.campaigns.find(manager, accountId, id);
    if (!campaign) throw ApiErrors.notFound('campaign');
    if (campaign.status !== 'draft') return { campaign, issues: null };
    const [domain, lists] = await Promise.all([
      this.senders.find(accountId, campaign.from),
      this.campaigns.listFacts(manager, [id]),
    ]);
    return shown(campaign, domain, lists.get(id));
  }

  /** Newest first. */
  async page(
    accountId: AccountId,
    query: { filters: CampaignFilters; page: PageQuery },
  ): Promise<(ListedCampaign & { shown: ShownCampaign<ListedCampaign> })[]> {
    const { manager } = this.dataSource;
    const rows = await this.campaigns.page(manager, accountId, query);
    const drafts = rows.filter(({ status }) => status === 'draft');
    const [domains, lists] = await Promise.all([
      this.senders.findAll(
        accountId,
        drafts.map(({ from }) => from),
      ),
      this.campaigns.listFacts(
        manager,
        drafts.map(({ id }) => id),
      ),
    ]);
    return rows.map((row) => ({
      ...row,
      shown: shown(row, domains.get(row.from?.domain ?? ''), lists.get(row.id)),
    }));
  }
}
