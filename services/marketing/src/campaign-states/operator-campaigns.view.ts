import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { ApiErrors, Uuid } from '@postmesh/contracts';
import { pageSql, toFullPage, toPage, type FullPage, type PageQuery, type PageRow } from '@postmesh/http';
import { readCounts } from '../results/campaign-counts.js';
import { CAMPAIGN_STATUSES } from './campaign-state.rules.js';

/** `?status=&account=`: campaigns of all accounts, or of one. */
export const OperatorCampaignsQuery = z.object({
  status: z.enum(CAMPAIGN_STATUSES).optional(),
  account: Uuid.optional(),
});
export type OperatorCampaignsQuery = z.infer<typeof OperatorCampaignsQuery>;

const FIELDS = `id, account_id, created_at, updated_at, name, subject, from_email, from_domain, status, status_reason,
  send_at, send_resumes_at, started_at, paused_at, finished_at`;

const PAGE = `select ${FIELDS} from campaigns
  where ($1::text is null or status = $1) and ($2::uuid is null or account_id = $2)`;

// In addition to the account's fields: the columns of the state machine, and the content for a review.
const ONE = `select ${FIELDS}, preheader, from_name, reply_to, html, text, due_at, leased_until, checked_contacts,
    invalid_contacts, (select count(*)::int from campaign_batches where campaign_id = campaigns.id) as batches_left
  from campaigns where id = $1`;

interface CampaignRow extends Record<string, unknown> {
  html: string | null;
  text: string | null;
  preheader: string | null;
}

/** The view of campaigns for operators. */
@Injectable()
export class CampaignsView {
  constructor(private readonly dataSource: DataSource) {}

  async page({ status, account }: OperatorCampaignsQuery, page: PageQuery): Promise<FullPage<object>> {
    const sql = pageSql({ text: PAGE, parameters: [status ?? null, account ?? null] }, page);
    const rows: PageRow[] = await this.dataSource.query(sql.text, [...sql.parameters]);
    const shown = ({ page_micros: _micros, page_continues: _continues, ...row }: PageRow) => row;
    return toFullPage(toPage(rows, page, shown), page);
  }

  /** @throws ApiError 404 */
  async show(id: string) {
    const [row]: CampaignRow[] = await this.dataSource.query(ONE, [id]);
    if (!row) throw ApiErrors.notFound('campaign');
    const { html, text, preheader, ...campaign } = row;
    const { counts } = await readCounts(this.dataSource, id);
    return { ...campaign, counts, content: { preheader, html, text } };
  }
}
