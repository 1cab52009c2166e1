import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { databaseNow } from '@postmesh/database';
import { Outbox } from '@postmesh/events';
import { BeginSending } from './begin-sending.js';
import { lockClaimed, type Claimed } from './campaign-claims.js';
import { CampaignFacts } from './campaign-facts.js';
import { moveCampaign, type CampaignState } from './campaign-moves.js';
import { CANCEL_REASONS, FAIL_REASONS, REVIEW_REASONS, type ReviewCause } from './campaign-state.rules.js';
import { CancelCampaign } from './cancel-campaign.js';
import { CheckContacts } from './check-contacts.js';
import { HoldRules } from './hold-rules.js';
import { reviewChanged } from './campaign-events.js';

/** The checks between Send and the start (spec 3-marketing §6): T4 to T7. */
@Injectable()
export class ValidateCampaign {
  constructor(
    private readonly dataSource: DataSource,
    private readonly facts: CampaignFacts,
    private readonly begin: BeginSending,
    private readonly contacts: CheckContacts,
    private readonly holds: HoldRules,
    private readonly cancellation: CancelCampaign,
    private readonly outbox: Outbox,
  ) {}

  /** @throws LeaseLost, Transient */
  async execute(claimed: Claimed, run: { progressed: () => void; signal: AbortSignal }): Promise<void> {
    if (await this.ended(claimed)) return;
    const checked = await this.contacts.execute(claimed, run);
    const hold = await this.holds.cause(claimed.campaign, checked);
    run.progressed();
    await this.goOn(claimed, hold);
  }

  /** The account is closed, or a problem exists that no check of contacts can solve. */
  private async ended(claimed: Claimed): Promise<boolean> {
    const facts = await this.facts.of(claimed.campaign);
    return this.dataSource.transaction(async (tx) => {
      const problem =
        facts.account === 'deleted' ? undefined : await this.begin.problem(tx, claimed.campaign, facts);
      if (facts.account !== 'deleted' && problem === undefined) return false;
      const campaign = await lockClaimed(tx, claimed);
      const now = await databaseNow(tx);
      if (problem === undefined) {
        await this.cancellation.execute(tx, campaign, { reason: CANCEL_REASONS.account_closed, now });
      } else await moveCampaign(tx, campaign, 'fail_checks', { now, reason: FAIL_REASONS[problem] });
      return true;
    });
  }

  /** After the checks, which may have taken minutes: the sender and the recipients are checked once more. */
  private async goOn(claimed: Claimed, hold: ReviewCause | undefined): Promise<void> {
    const facts = await this.facts.of(claimed.campaign);
    const began = await this.dataSource.transaction(async (tx) => {
      const campaign = await lockClaimed(tx, claimed);
      const now = await databaseNow(tx);
      const problem = await this.begin.problem(tx, campaign, facts);
      if (problem !== undefined) {
        await moveCampaign(tx, campaign, 'fail_checks', { now, reason: FAIL_REASONS[problem] });
      } else if (hold !== undefined) await this.hold(tx, campaign, { cause: hold, now });
      else if (campaign.sendAt !== null && campaign.sendAt > now) {
        await moveCampaign(tx, campaign, 'schedule', { now, dueAt: campaign.sendAt });
      } else {
        await this.begin.execute(tx, campaign, { trigger: 'start_checked', facts, now });
        return true;
      }
      return false;
    });
    if (began) this.begin.started();
  }

  private async hold(
    tx: EntityManager,
    campaign: CampaignState,
    { cause, now }: { cause: ReviewCause; now: Date },
  ): Promise<void> {
    const reason = REVIEW_REASONS[cause];
    await moveCampaign(tx, campaign, 'hold', { now, reason });
    await this.outbox.add(tx, reviewChanged(campaign, 'pending', reason));
  }
}
