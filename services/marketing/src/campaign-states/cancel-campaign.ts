import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CancelRecipients } from '../sending/cancel-recipients.js';
import { moveCampaign, type CampaignState } from './campaign-moves.js';

/** Ends a campaign before all of it is sent: what was handed over is not recalled (T11, T18, T19). */
@Injectable()
export class CancelCampaign {
  constructor(private readonly recipients: CancelRecipients) {}

  /**
   * @param campaign as locked in this transaction
   * @throws ApiError 409 when the trigger does not lead there from its status
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
    // of a very large campaign the machine does the rest, piece by piece
    await moveCampaign(tx, campaign, trigger, { now, reason, dueAt: now });
    await this.recipients.execute(tx, campaign.id);
  }

  /** The next piece of the recipients of a canceled campaign. @returns whether there may be more */
  more(tx: EntityManager, campaign: CampaignState): Promise<boolean> {
    return this.recipients.execute(tx, campaign.id);
  }
}
