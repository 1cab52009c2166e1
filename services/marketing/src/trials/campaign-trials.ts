import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { requireRenderable } from '@postmesh/designs';
import { CampaignTemplatesRepository } from '../campaign-templates/campaign-templates.repository.js';
import { CampaignChanges } from '../campaigns/campaign-changes.js';
import { contentIssues } from '../campaigns/campaign-issues.rules.js';
import { ISSUES } from '../campaigns/campaign.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { requireDraft } from '../campaigns/update-campaign.js';
import { readResults } from './trial-results.js';
import { TrialErrors, type TrialFields, type TrialResource, type TrialRow } from './trial.schema.js';

/** A row of `campaign_variants`. */
interface Variant {
  readonly campaignId: string;
  readonly variant: number;
  readonly subject: string | null;
  /** null: the body is that of the campaign */
  readonly templateId: string | null;
  readonly html: string | null;
  readonly text: string | null;
}

const COLUMNS = {
  campaign_id: 'uuid',
  variant: 'smallint',
  subject: 'text',
  template_id: 'uuid',
  html: 'text',
  text: 'text',
} as const;

/** Variants of a campaign that are tried with some of its recipients (decision 163). */
@Injectable()
export class CampaignTrials {
  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: CampaignsRepository,
    private readonly changes: CampaignChanges,
    private readonly templates: CampaignTemplatesRepository,
  ) {}

  /** With its results. @throws ApiError 404 */
  async get(accountId: AccountId, campaignId: string): Promise<TrialResource> {
    const { manager } = this.dataSource;
    if (!(await this.campaigns.find(manager, accountId, campaignId))) throw ApiErrors.notFound('campaign');
    const [row]: TrialRow[] = await manager.query(
      `select metric, share, wait_minutes as "waitMinutes", size, decides_at as "decidesAt",
         decided_at as "decidedAt", winner from campaign_trials where campaign_id = $1`,
      [campaignId],
    );
    const variants: TrialFields['variants'] = await manager.query(
      'select subject, template_id from campaign_variants where campaign_id = $1 order by variant',
      [campaignId],
    );
    return {
      object: 'campaign_trial',
      campaign_id: campaignId,
      trial: row ? { metric: row.metric, share: row.share, wait_minutes: row.waitMinutes, variants } : null,
      decides_at: row?.decidesAt?.toISOString() ?? null,
      decided_at: row?.decidedAt?.toISOString() ?? null,
      winner: row?.winner ?? null,
      results:
        row?.size == null
          ? []
          : [
              ...(await readResults(manager, campaignId, {
                size: row.size,
                variants: variants.length + 1,
              })),
            ],
    };
  }

  /** @throws ApiError 400, 401, 404, or 409 unless it is a draft; Transient */
  put(accountId: AccountId, id: string, trial: TrialFields | null): Promise<void> {
    for (const { subject } of trial?.variants ?? []) requireRenderable('subject', subject);
    return this.changes.change(
      { principal: { account_id: accountId }, id },
      {
        decide: async (manager, campaign) => {
          requireDraft(campaign);
          return trial ? this.variants(manager, { accountId, id }, trial) : [];
        },
        apply: async (tx, _, variants) => {
          await tx.query('delete from campaign_variants where campaign_id = $1', [id]);
          await tx.query('delete from campaign_trials where campaign_id = $1', [id]);
          if (!trial) return;
          await tx.query(
            'insert into campaign_trials (campaign_id, metric, share, wait_minutes) values ($1, $2, $3, $4)',
            [id, trial.metric, trial.share, trial.wait_minutes],
          );
          await insertRows(tx, 'campaign_variants', COLUMNS, variants);
        },
      },
    );
  }

  /** With copies of the templates, as a campaign has one of its own. */
  private async variants(
    manager: EntityManager,
    { accountId, id }: { accountId: AccountId; id: string },
    { variants }: TrialFields,
  ): Promise<Variant[]> {
    const made: Variant[] = [];
    for (const [at, { subject, template_id: templateId }] of variants.entries()) {
      const nth = at + 1;
      const body = { html: null as string | null, text: null as string | null };
      if (templateId !== null) {
        const found = await this.templates
          .designOf(manager, { accountId, id: templateId })
          .catch(() => undefined);
        if (!found) throw TrialErrors.noTemplate(nth);
        Object.assign(body, { html: found.html, text: found.text });
        if (body.html === null && body.text === null)
          throw TrialErrors.badContent(nth, ISSUES.content_missing);
        const [issue] = contentIssues({ subject, preheader: null, ...body });
        if (issue !== undefined) throw TrialErrors.badContent(nth, ISSUES[issue]);
      }
      made.push({ campaignId: id, variant: nth, subject, templateId, ...body });
    }
    return made;
  }
}
