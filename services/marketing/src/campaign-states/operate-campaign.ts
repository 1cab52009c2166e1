import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Outbox } from '@postmesh/events';
import { readCounts } from '../results/campaign-counts.js';
import { CampaignFeeder } from '../sending/campaign-feeder.js';
import { CampaignMachine } from './campaign-machine.js';
import { reviewChanged } from './campaign-events.js';
import {
  changeCampaign,
  changePauseCause,
  moveCampaign,
  pauseCampaign,
  type CampaignState,
} from './campaign-moves.js';
import { CANCEL_REASONS, rejectedReason, requireTransition } from './campaign-state.rules.js';
import { CancelCampaign } from './cancel-campaign.js';

/** The actions of an operator on a campaign (spec 3-marketing §11): each 404 or 409 changes nothing. */
@Injectable()
export class OperateCampaign {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cancellation: CancelCampaign,
    private readonly machine: CampaignMachine,
    private readonly feeder: CampaignFeeder,
    private readonly outbox: Outbox,
  ) {}

  /** T9: only the checks of the start are repeated. */
  async approve(id: string): Promise<void> {
    await this.change(id, async (tx, campaign, now) => {
      await moveCampaign(tx, campaign, 'approve', { now, dueAt: campaign.sendAt ?? now });
      await this.outbox.add(tx, reviewChanged(campaign, 'approved', null));
    });
    this.machine.trigger();
  }

  /** T10: the account may change it and send it again. */
  return(id: string, note: string): Promise<void> {
    return this.change(id, async (tx, campaign, now) => {
      await moveCampaign(tx, campaign, 'return', { now, reason: note });
      await this.outbox.add(tx, reviewChanged(campaign, 'returned', note));
    });
  }

  /** T11 */
  reject(id: string, note: string | null): Promise<void> {
    return this.change(id, async (tx, campaign, now) => {
      await this.cancellation.execute(tx, campaign, { trigger: 'reject', reason: rejectedReason(note), now });
      await this.outbox.add(tx, reviewChanged(campaign, 'rejected', note));
    });
  }

  /** T14; a pause by a member becomes one of the operator, which the member cannot end. */
  pause(id: string): Promise<void> {
    return this.change(id, (tx, campaign, now) =>
      campaign.pauseCause === 'member'
        ? changePauseCause(tx, campaign, { cause: 'operator', since: now, now })
        : pauseCampaign(tx, campaign, 'operator', now),
    );
  }

  /** T15, for any cause: a cause that persists pauses it again; rates count from now on. */
  async resume(id: string): Promise<void> {
    await this.change(id, async (tx, campaign, now) => {
      requireTransition('resume', campaign.status);
      const { delivered, bounced, complained } = (await readCounts(tx, id)).counts;
      const rateBase = { delivered, bounced, complained };
      await moveCampaign(tx, campaign, 'resume', { now, dueAt: now, rateBase });
    });
    this.machine.trigger();
    this.feeder.raise();
  }

  /** T18 */
  cancel(id: string): Promise<void> {
    return this.change(id, (tx, campaign, now) =>
      this.cancellation.execute(tx, campaign, { reason: CANCEL_REASONS.operator, now }),
    );
  }

  private change(
    id: string,
    make: (tx: EntityManager, campaign: CampaignState, now: Date) => Promise<void>,
  ): Promise<void> {
    return changeCampaign(this.dataSource, { id }, make);
  }
}
