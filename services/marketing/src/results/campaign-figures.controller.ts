import { Controller, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { readCountsOf } from './campaign-counts.js';
import { CampaignFiguresQuery, type CampaignFigures } from './campaign-figures.schema.js';
import { RECIPIENT_STATUSES } from './recipient-outcomes.rules.js';

const MAX_CAMPAIGNS = 100;
const DEFAULT_MS = 30 * 86_400_000;

interface SentCampaign {
  id: string;
  name: string;
  startedAt: Date;
}

/** The results of recent campaigns next to each other, for the console. */
@Controller()
export class CampaignFiguresController {
  constructor(private readonly dataSource: DataSource) {}

  @Operation('statistics-groups.campaigns')
  async campaigns(
    @Call() { accountId }: ApiCall,
    @Query(query(CampaignFiguresQuery)) { from_time, to_time, sender_domain }: CampaignFiguresQuery,
  ): Promise<ApiResponse> {
    const to = to_time === undefined ? new Date() : new Date(to_time);
    const sent: SentCampaign[] = await this.dataSource.query(SENT, [
      accountId,
      from_time ?? new Date(to.getTime() - DEFAULT_MS),
      to,
      sender_domain ?? null,
    ]);
    const shown = sent.slice(0, MAX_CAMPAIGNS);
    return apiResponse(200, {
      object: 'list',
      is_cut: sent.length > MAX_CAMPAIGNS,
      data: await this.figuresOf(shown),
    } satisfies CampaignFigures);
  }

  private async figuresOf(campaigns: readonly SentCampaign[]): Promise<CampaignFigures['data']> {
    const counts = await readCountsOf(
      this.dataSource,
      campaigns.map(({ id }) => id),
    );
    return campaigns.flatMap(({ id, name, startedAt }) => {
      const of = counts.get(id);
      if (!of) return [];
      return {
        campaign_id: id,
        name,
        sent_at: startedAt.toISOString(),
        recipients: RECIPIENT_STATUSES.reduce((sum, status) => sum + of[status], 0),
        delivered: of.delivered,
        bounced: of.bounced,
        failed: of.failed,
        suppressed: of.suppressed,
        skipped: of.skipped,
        opened: of.opened,
        clicked: of.clicked,
        unsubscribed: of.unsubscribed,
        complained: of.complained,
      };
    });
  }
}

// by the index campaigns_sent
const SENT = `
  select id, name, started_at as "startedAt" from campaigns
  where account_id = $1 and started_at >= $2 and started_at < $3 and ($4::text is null or from_domain = $4)
  order by started_at desc, id desc limit ${MAX_CAMPAIGNS + 1}`;
