import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { hasUnsubscribeLink } from '@postmesh/designs';
import { templateProblem } from '@postmesh/templates';
import { audienceOf } from '../segments/audience.sql.js';
import { CampaignFeeder } from '../sending/campaign-feeder.js';
import { StartCampaign } from '../sending/start-campaign.js';
import { VARIANT_CONTENTS } from '../trials/variant-contents.sql.js';
import { lockCampaign, moveCampaign, pauseCampaign, type CampaignState } from './campaign-moves.js';
import type { FailCause } from './campaign-state.rules.js';
import { SENDING_LOOK_MS, type SendingFacts } from './pause.rules.js';

interface Content {
  subject: string | null;
  preheader: string | null;
  html: string | null;
  text: string | null;
}

/** The start of a campaign (T5, T12), and the checks before it. */
@Injectable()
export class BeginSending {
  constructor(
    private readonly start: StartCampaign,
    private readonly feeder: CampaignFeeder,
  ) {}

  /**
   * The reason why a sent campaign can no longer begin (spec 3-marketing §6 rule 2, T13).
   * @param facts current facts of its sender
   */
  async problem(
    tx: EntityManager,
    campaign: CampaignState,
    { sender }: SendingFacts,
  ): Promise<FailCause | undefined> {
    if (sender !== 'usable') return SENDER_FAILURES[sender];
    const contents: Content[] = await tx.query(
      `select subject, preheader, html, text from (${VARIANT_CONTENTS}) as contents`,
      [campaign.id],
    );
    if (contents.length === 0 || !contents.every(canBeSent)) return 'content';
    const { text, parameters } = await audienceOf(tx, campaign.id);
    const [member]: { found: boolean }[] = await tx.query(
      `select exists (select from (${text}) as members) as found`,
      [...parameters],
    );
    return member?.found ? undefined : 'no_subscribers';
  }

  /**
   * Takes the snapshot and starts sending, in one transaction. With a suspended account the campaign begins paused.
   * @param campaign as locked in this transaction
   */
  async execute(
    tx: EntityManager,
    campaign: CampaignState,
    { trigger, facts, now }: { trigger: 'start' | 'start_checked'; facts: SendingFacts; now: Date },
  ): Promise<void> {
    const dueAt = new Date(now.getTime() + SENDING_LOOK_MS);
    await moveCampaign(tx, campaign, trigger, { now, dueAt });
    await this.start.execute(tx, campaign.id);
    const started = await lockCampaign(tx, campaign.id);
    if (started && facts.account === 'suspended') await pauseCampaign(tx, started, 'suspended', now);
  }

  /** To be called after the commit of a start. */
  started(): void {
    this.feeder.raise();
  }
}

const SENDER_FAILURES = {
  deleted: 'domain_deleted',
  paused: 'domain_paused',
  dns_invalid: 'domain_dns',
} as const satisfies Record<Exclude<SendingFacts['sender'], 'usable'>, FailCause>;

/** The content cannot change after Send, except that a new release may render it differently. */
function canBeSent({ subject, preheader, html, text }: Content): boolean {
  if (subject === null || (html === null && text === null)) return false;
  const renders = [subject, preheader, html, text].every(
    (part) => part === null || templateProblem(part) === undefined,
  );
  return renders && hasUnsubscribeLink({ html, text });
}
