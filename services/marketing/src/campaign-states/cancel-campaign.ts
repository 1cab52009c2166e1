import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CancelRecipients } from '../sending/cancel-recipients.js';
import { moveCampaign, type CampaignState } from './campaign-moves.js';

/** Ends a campaign before all of it is sent: messages that were handed over are not recalled (T11, T18, T19). */
@Injectable()
export class CancelCampaign {
  constructor(private readonly recipients: CancelRecipients) {}

  /**
   * @param campaign as locked in this transaction
   * @throws ApiError 409 when its status does not allow the trigger
   */
  async execute(
    tx: EntityManager,
    campaign: CampaignState,
    {
      trigger = 'cancel',
      reason,
      now,
    }: { trigger?: 'cancel' | 'reject' | 'lose_domain' | 'give_up'; reason: string; now: Date },
  ): Promise<void> {
    // the rest of a very large campaign is canceled by the machine, in batches
    await moveCampaign(tx, campaign, trigger, { now, reason, dueAt: now });
    await this.recipients.execute(tx, campaign.id);
  }

  /** Cancels the next batch of recipients of a canceled campaign. @returns whether there may be more */
  more(tx: EntityManager, campaign: CampaignState): Promise<boolean> {
    return this.recipients.execute(tx, campaign.id);
  }
}
