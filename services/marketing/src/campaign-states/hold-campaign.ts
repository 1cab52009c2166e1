import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, ApiErrors, type AccountId } from '@postmesh/contracts';
import type { ShownCampaign } from '../campaigns/campaign.js';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { CampaignFeeder } from '../sending/campaign-feeder.js';
import { CampaignMachine } from './campaign-machine.js';
import { changeCampaign, moveCampaign, pauseCampaign, type CampaignState } from './campaign-moves.js';
import {
  CANCEL_REASONS,
  PAUSE_REASONS,
  requireTransition,
  type CampaignStatus,
} from './campaign-state.rules.js';
import { CancelCampaign } from './cancel-campaign.js';

export interface HoldCampaignCommand {
  accountId: AccountId;
  id: string;
}

/**
 * A member pauses, resumes and cancels a campaign in the console. Recipients whose batch is taken are still handed over;
 * the others wait, each with the message id that it has, so that a resume sends to none twice.
 */
@Injectable()
export class HoldCampaign {
  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: CampaignsRepository,
    private readonly cancellation: CancelCampaign,
    private readonly machine: CampaignMachine,
    private readonly feeder: CampaignFeeder,
  ) {}

  /** T14. @throws ApiError 404 or 409 */
  pause(command: HoldCampaignCommand): Promise<ShownCampaign> {
    return this.change(command, 'paused', (tx, campaign, now) => pauseCampaign(tx, campaign, 'member', now));
  }

  /** T15, for a pause by a member only. Bounces and complaints are counted across the pause. @throws ApiError 404 or 409 */
  async resume(command: HoldCampaignCommand): Promise<ShownCampaign> {
    const resumed = await this.change(command, 'sending', async (tx, campaign, now) => {
      requireTransition('resume', campaign.status);
      if (campaign.pauseCause !== 'member') throw otherPause(campaign);
      await moveCampaign(tx, campaign, 'resume', { now, dueAt: now });
    });
    this.machine.trigger();
    this.feeder.raise();
    return resumed;
  }

  /** T18. @throws ApiError 404 or 409 */
  cancel(command: HoldCampaignCommand): Promise<ShownCampaign> {
    return this.change(command, 'canceled', (tx, campaign, now) =>
      this.cancellation.execute(tx, campaign, { reason: CANCEL_REASONS.member, now }),
    );
  }

  /** A campaign that has the status already, by a member where it is paused, stays as it is: a click may come twice. */
  private change(
    command: HoldCampaignCommand,
    to: CampaignStatus,
    make: (tx: EntityManager, campaign: CampaignState, now: Date) => Promise<void>,
  ): Promise<ShownCampaign> {
    return changeCampaign(this.dataSource, command, async (tx, campaign, now) => {
      const isThere = campaign.status === to && (to !== 'paused' || campaign.pauseCause === 'member');
      if (!isThere) await make(tx, campaign, now);
      const after = await this.campaigns.find(tx, command.accountId, command.id);
      if (!after) throw ApiErrors.notFound('campaign');
      return { campaign: after, issues: null };
    });
  }
}

const otherPause = ({ pauseCause }: CampaignState): ApiError =>
  new ApiError(409, `campaign was not paused by a member: ${PAUSE_REASONS[pauseCause ?? 'operator']}`);
