import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { databaseNow } from '@postmesh/database';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { readCounts } from '../results/campaign-counts.js';
import { CampaignFeeder } from '../sending/campaign-feeder.js';
import { DailyLimit } from '../sending/daily-limit.js';
import { BeginSending } from './begin-sending.js';
import { lockClaimed, releaseCampaign, type Claimed } from './campaign-claims.js';
import { CampaignFacts } from './campaign-facts.js';
import {
  changePauseCause,
  moveCampaign,
  pauseCampaign,
  PAUSED_LOOK_MS,
  type CampaignState,
} from './campaign-moves.js';
import { CANCEL_REASONS, FAIL_REASONS, isPassing } from './campaign-state.rules.js';
import { CancelCampaign } from './cancel-campaign.js';
import {
  endCause,
  nextStep,
  outerCause,
  rateCause,
  SENDING_LOOK_MS,
  type PausedStep,
  type SendingFacts,
} from './pause.rules.js';

/** Processes campaigns that wait for their time, send, or are paused, by the table (T9, T12 to T19). */
@Injectable()
export class WatchCampaign {
  constructor(
    private readonly dataSource: DataSource,
    private readonly facts: CampaignFacts,
    private readonly begin: BeginSending,
    private readonly cancellation: CancelCampaign,
    private readonly limit: DailyLimit,
    private readonly feeder: CampaignFeeder,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** `scheduled`. @throws LeaseLost, Transient */
  async scheduled(claimed: Claimed): Promise<void> {
    const facts = await this.facts.of(claimed.campaign);
    const began = await this.dataSource.transaction(async (tx) => {
      const campaign = await lockClaimed(tx, claimed);
      const now = await databaseNow(tx);
      if (await this.isEnded(tx, campaign, { account: facts.account, now })) return false;
      if (campaign.sendAt !== null && campaign.sendAt > now) {
        await releaseCampaign(tx, claimed, campaign.sendAt);
        return false;
      }
      const problem = await this.begin.problem(tx, campaign, facts);
      if (problem !== undefined) {
        await moveCampaign(tx, campaign, 'fail_start', { now, reason: FAIL_REASONS[problem] });
        return false;
      }
      await this.begin.execute(tx, campaign, { trigger: 'start', facts, now });
      return true;
    });
    if (began) this.begin.started();
  }

  /** `waiting_for_review`: runs only after a change of its account. */
  async waiting(claimed: Claimed): Promise<void> {
    const { account } = await this.facts.of(claimed.campaign);
    await this.dataSource.transaction(async (tx) => {
      const campaign = await lockClaimed(tx, claimed);
      if (await this.isEnded(tx, campaign, { account, now: await databaseNow(tx) })) return;
      await releaseCampaign(tx, claimed, null);
    });
  }

  /** `sending`: checks whether it may continue, and whether it is complete. */
  async sending(claimed: Claimed): Promise<void> {
    const facts = await this.facts.of(claimed.campaign);
    await this.dataSource.transaction(async (tx) => {
      const campaign = await lockClaimed(tx, claimed);
      const now = await databaseNow(tx);
      if (await this.isEnded(tx, campaign, { ...facts, now })) return;
      if (await this.isComplete(tx, campaign, now)) return;
      const cause = outerCause(facts) ?? (await this.rateCause(tx, campaign));
      if (cause !== undefined) await pauseCampaign(tx, campaign, cause, now);
      else await releaseCampaign(tx, claimed, new Date(now.getTime() + SENDING_LOOK_MS));
    });
  }

  /** `paused`: checks whether its cause has ended or changed, or the pause was too long. */
  async paused(claimed: Claimed): Promise<void> {
    const facts = await this.facts.of(claimed.campaign);
    const resumed = await this.dataSource.transaction(async (tx) => {
      const campaign = await lockClaimed(tx, claimed);
      const now = await databaseNow(tx);
      if (await this.isEnded(tx, campaign, { ...facts, now })) return false;
      const { pauseCause: cause, pausedAt: since } = campaign;
      if (cause === null || since === null) throw new Error(`campaign ${campaign.id} is paused for nothing`);
      const hasBudget =
        cause === 'daily_limit' &&
        (await this.limit.hasRoom(tx, { ...campaign, campaignId: campaign.id }, now));
      const step = nextStep({ cause, since, now, outer: outerCause(facts), hasBudget });
      await this.take(tx, claimed, { campaign, step, now });
      return step.kind === 'resume';
    });
    if (resumed) this.feeder.raise();
  }

  /** `canceled`: cancels its pending recipients, in batches. */
  async canceled(claimed: Claimed): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const campaign = await lockClaimed(tx, claimed);
      const isMore = await this.cancellation.more(tx, campaign);
      await releaseCampaign(tx, claimed, isMore ? await databaseNow(tx) : null);
    });
  }

  private async take(
    tx: EntityManager,
    claimed: Claimed,
    { campaign, step, now }: { campaign: CampaignState; step: PausedStep; now: Date },
  ): Promise<void> {
    if (step.kind === 'resume') {
      const dueAt = new Date(now.getTime() + SENDING_LOOK_MS);
      await moveCampaign(tx, campaign, 'resume', { now, dueAt });
    } else if (step.kind === 'give_up') {
      const reason = CANCEL_REASONS.paused_too_long;
      await this.cancellation.execute(tx, campaign, { trigger: 'give_up', reason, now });
    } else {
      if (step.kind === 'other_cause')
        await changePauseCause(tx, campaign, { cause: step.cause, since: step.since, now });
      const cause = step.kind === 'other_cause' ? step.cause : campaign.pauseCause;
      const isWatched = cause !== null && isPassing(cause);
      await releaseCampaign(tx, claimed, isWatched ? new Date(now.getTime() + PAUSED_LOOK_MS) : null);
    }
  }

  /** T18. @param facts without a sender when a lost sender is reported by the start (T13) */
  private async isEnded(
    tx: EntityManager,
    campaign: CampaignState,
    {
      account,
      sender = 'usable',
      now,
    }: { account: SendingFacts['account']; sender?: SendingFacts['sender']; now: Date },
  ): Promise<boolean> {
    const cause = endCause({ account, sender });
    if (cause === undefined) return false;
    const trigger = cause === 'domain_deleted' ? 'lose_domain' : 'cancel';
    await this.cancellation.execute(tx, campaign, { trigger, reason: CANCEL_REASONS[cause], now });
    return true;
  }

  /** T16 and T17: no recipient is left to hand over. */
  private async isComplete(tx: EntityManager, campaign: CampaignState, now: Date): Promise<boolean> {
    const [left]: { batches: boolean }[] = await tx.query(
      'select exists (select from campaign_batches where campaign_id = $1) as batches',
      [campaign.id],
    );
    if (left?.batches) return false;
    const [failed]: { reason: string | null }[] = await tx.query(ALL_FAILED, [campaign.id]);
    if (!failed) await moveCampaign(tx, campaign, 'complete', { now });
    else {
      const reason = FAIL_REASONS[failed.reason === 'render_error' ? 'content' : 'internal'];
      await moveCampaign(tx, campaign, 'fail_sending', { now, reason });
    }
    return true;
  }

  private async rateCause(tx: EntityManager, campaign: CampaignState) {
    const { counts } = await readCounts(tx, campaign.id);
    const { campaignBounceRate, campaignComplaintRate, campaignMinOutcomes } = this.settings;
    return rateCause(counts, campaign.rateBase, {
      bounceRate: campaignBounceRate,
      complaintRate: campaignComplaintRate,
      minOutcomes: campaignMinOutcomes,
    });
  }
}

// For a campaign without any message: the reason of the first failure.
const ALL_FAILED = `
  select status_reason as reason from campaign_recipients
  where campaign_id = $1 and status = 'failed'
    and not exists (select from campaign_recipients made where made.campaign_id = $1
      and (made.sent_at is not null or made.status = 'suppressed'))
  order by position limit 1`;
