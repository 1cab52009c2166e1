import { Injectable } from '@nestjs/common';
import { databaseNow } from '@postmesh/database';
import type { EntityManager } from 'typeorm';
import { ApiError, ApiErrors, type Principal } from '@postmesh/contracts';
import type { Remember } from '@postmesh/service-host';
import type { Campaign, ShownCampaign } from '../campaigns/campaign.js';
import { CampaignChanges, type CampaignRef } from '../campaigns/campaign-changes.js';
import { contentIssues, shown } from '../campaigns/campaign-issues.rules.js';
import { CampaignSenders } from '../campaigns/campaign-senders.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import type { Prefetch } from '../campaigns/prefetch.js';
import { DailyLimit } from '../sending/daily-limit.js';
import { CampaignMachine } from './campaign-machine.js';
import { lockCampaign, moveCampaign, type CampaignState } from './campaign-moves.js';
import { requireTransition } from './campaign-state.rules.js';

export interface SendCampaignCommand extends CampaignRef {
  principal: Principal;
  /** null: as soon as the checks pass */
  sendAt: Date | null;
}

/** Send and Unschedule (spec 3-marketing §3.2): T3 and T8. */
@Injectable()
export class SendCampaign {
  constructor(
    private readonly changes: CampaignChanges,
    private readonly campaigns: CampaignsRepository,
    private readonly senders: CampaignSenders,
    private readonly limit: DailyLimit,
    private readonly machine: CampaignMachine,
  ) {}

  /** @throws ApiError 400, 403, 404 or 409 */
  async send(
    { sendAt, ...ref }: SendCampaignCommand,
    remember: Remember<ShownCampaign>,
  ): Promise<ShownCampaign> {
    const sent = await this.changes.change(
      ref,
      {
        decide: async (manager, campaign, prefetch) => {
          requireTransition('send', campaign.status);
          requireReady(await this.asDraft(manager, campaign, prefetch));
          await this.requireMaySend(manager, ref.principal);
        },
        apply: async (tx, { id, accountId }) => {
          const now = await databaseNow(tx);
          const campaign = await locked(tx, id);
          await moveCampaign(tx, campaign, 'send', { now, sendAt: sendAt ?? now, dueAt: now });
          const after = await this.campaigns.find(tx, accountId, id);
          if (!after) throw ApiErrors.notFound('campaign');
          return { campaign: after, issues: null };
        },
      },
      remember,
    );
    this.machine.trigger();
    return sent;
  }

  /** Makes a validating or scheduled campaign a draft again. @throws ApiError 404 or 409 */
  unschedule(ref: CampaignRef, remember: Remember<ShownCampaign>): Promise<ShownCampaign> {
    return this.changes.change(
      ref,
      {
        decide: async (manager, campaign, prefetch) => {
          requireTransition('unschedule', campaign.status);
          return this.asDraft(manager, campaign, prefetch);
        },
        apply: async (tx, { id, accountId }, { issues }) => {
          await moveCampaign(tx, await locked(tx, id), 'unschedule', { now: await databaseNow(tx) });
          const campaign = await this.campaigns.find(tx, accountId, id);
          if (!campaign) throw ApiErrors.notFound('campaign');
          return { campaign, issues };
        },
      },
      remember,
    );
  }

  private async asDraft(
    manager: EntityManager,
    campaign: Campaign,
    prefetch: Prefetch,
  ): Promise<ShownCampaign> {
    const { accountId, from, id } = campaign;
    const domain = from
      ? prefetch.take(`domain ${from.domain}`, () => this.senders.find(accountId, from))
      : undefined;
    const lists = await this.campaigns.listFacts(manager, [id]);
    // the issues stored with the content may come from a release with another template language
    const found = { ...campaign, contentIssues: contentIssues(campaign) };
    return shown({ ...found, status: 'draft' }, domain, lists.get(id));
  }

  /** @throws ApiError 403 */
  private async requireMaySend(manager: EntityManager, { account, account_id }: Principal): Promise<void> {
    if (account.status !== 'active') throw ApiErrors.accountSuspended();
    if ((await this.limit.of(manager, account_id)) === 0) {
      throw new ApiError(403, 'marketing mail is off for this account');
    }
  }
}

/** @throws ApiError 400 with the codes of all issues, in order */
function requireReady({ issues }: ShownCampaign): void {
  if (issues === null || issues.length === 0) return;
  throw new ApiError(400, `campaign is not ready: ${issues.join(', ')}`);
}

/** The state of a campaign that this transaction has locked. */
async function locked(tx: EntityManager, id: string): Promise<CampaignState> {
  const campaign = await lockCampaign(tx, id);
  if (!campaign) throw ApiErrors.notFound('campaign');
  return campaign;
}
