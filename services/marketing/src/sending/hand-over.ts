import { Injectable } from '@nestjs/common';
import {
  CampaignSendResult,
  Permanent,
  Transient,
  type AccountFacts,
  type AccountId,
  type CampaignContent,
  type CampaignSendOutcome,
  type CampaignSendProblem,
} from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import { AccountDirectory } from '@postmesh/sending-domains';
import { FINAL_STATUSES } from '../campaign-states/campaign-state.rules.js';
import { CampaignContents } from './campaign-contents.js';
import { HandOverPace } from './hand-over-pace.js';
import type { SendingCampaign, TakenRecipient } from './take-recipients.js';

// With the content far below what a service takes as one request; 100 recipients have some 50 kB together as a rule.
const MAX_REQUEST_BYTES = 8_000_000;

/** Why nothing more of a batch was stored. */
export type HandOverProblem = CampaignSendProblem | 'account_deleted';

export interface HandedOver {
  readonly outcomes: readonly CampaignSendOutcome[];
  /** missing: all are handed over */
  readonly problem?: HandOverProblem;
}

/** Gives the recipients of a batch to the messages service, which makes a message of each, once per message id. */
@Injectable()
export class HandOver {
  private readonly pace = new HandOverPace();

  constructor(
    private readonly client: InternalClient,
    private readonly accounts: AccountDirectory,
    private readonly contents: CampaignContents,
  ) {}

  /**
   * @param hurries from then on no request waits for its turn
   * @throws Permanent when the messages service refuses the request itself: nothing of it was stored
   * @throws Transient when nobody knows; the same again is safe
   */
  async execute(
    campaign: SendingCampaign,
    recipients: readonly TakenRecipient[],
    hurries: AbortSignal,
  ): Promise<HandedOver> {
    const account = await this.accounts.find(campaign.accountId as AccountId);
    if (!account) return { outcomes: [], problem: 'account_deleted' };
    if (campaign.fromEmail === null) return { outcomes: [], problem: 'domain_missing' };
    const from = { email: campaign.fromEmail, name: campaign.fromName ?? '' };
    const content = { ...(await this.contents.of(campaign.id)), from };
    // of a campaign that is over only those are of interest that were handed over: each is asked for by itself
    const isOver = FINAL_STATUSES.includes(campaign.status);
    const outcomes: CampaignSendOutcome[] = [];
    let problem: HandOverProblem | undefined;
    const most = isOver ? 1 : this.pace.mostRecipients;
    for (const part of partsOf(recipients, { bytes: MAX_REQUEST_BYTES, most })) {
      const post = () => this.post(campaign, account, { content, recipients: part });
      // what is asked of a campaign that is over makes no messages
      const result = await (isOver ? post() : this.pace.run(post, hurries));
      if (result.ok) outcomes.push(...result.recipients);
      else problem = result.problem;
      if (problem && !isOver) break;
    }
    return problem ? { outcomes, problem } : { outcomes };
  }

  private async post(
    { id, accountId }: SendingCampaign,
    account: AccountFacts,
    { content, recipients }: { content: CampaignContent; recipients: readonly TakenRecipient[] },
  ): Promise<CampaignSendResult> {
    const body = {
      account_id: accountId,
      account,
      campaign_id: id,
      test: false,
      content,
      recipients: recipients.map(toSendRecipient),
    };
    const path = '/internal/campaign-sends';
    const { status, bytes } = await this.client.send('messages', { method: 'POST', path, body });
    if (status === 200) return CampaignSendResult.parse(JSON.parse(bytes.toString()));
    const message = `messages responded ${status} to POST ${path}`;
    // 404: a version that does not know the route yet
    if (status === 400 || status === 413 || status === 422) throw new Permanent(message);
    throw new Transient(message);
  }
}

const toSendRecipient = ({ message_id, contact_id, email, name, values }: TakenRecipient) => ({
  message_id,
  contact_id,
  email,
  name,
  values,
});

/** In their order, each part with so many recipients, and so many bytes of values at most, or one recipient. */
export function partsOf<R extends { readonly values: object }>(
  recipients: readonly R[],
  max: { bytes: number; most: number },
): R[][] {
  const parts: R[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const recipient of recipients) {
    const size = Buffer.byteLength(JSON.stringify(recipient.values));
    if (bytes + size > max.bytes || parts.at(-1)?.length === max.most) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(recipient);
    bytes += size;
  }
  return parts;
}
