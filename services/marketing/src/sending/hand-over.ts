import { Injectable } from '@nestjs/common';
import {
  CampaignSendResult,
  type CampaignContent,
  type CampaignSendOutcome,
  type CampaignSendProblem,
} from '@postmesh/messages-contract';
import { Permanent, Transient, type AccountFacts, type AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { AccountDirectory } from '@postmesh/accounts-contract';
import { FINAL_STATUSES } from '../campaign-states/campaign-state.rules.js';
import { CampaignContents } from './campaign-contents.js';
import { HandOverPace } from './hand-over-pace.js';
import type { SendingCampaign, TakenRecipient } from './take-recipients.js';

// With the content far below the limit of a request; 100 recipients usually have some 50 kB together.
const MAX_REQUEST_BYTES = 8_000_000;

/** The reason why the rest of a batch was not stored. */
export type HandOverProblem = CampaignSendProblem | 'account_deleted';

export interface HandedOver {
  readonly outcomes: readonly CampaignSendOutcome[];
  /** undefined: all are handed over */
  readonly problem?: HandOverProblem;
}

/** Hands the recipients of a batch over to the messages service, which creates a message for each, once per message id. */
@Injectable()
export class HandOver {
  private readonly pace = new HandOverPace();

  constructor(
    private readonly client: InternalClient,
    private readonly accounts: AccountDirectory,
    private readonly contents: CampaignContents,
  ) {}

  /**
   * @param hurries after its abort no request waits for its turn
   * @throws Permanent when the messages service rejects the request itself: nothing of it was stored
   * @throws Transient when the result is unknown; a repetition is safe
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
    // for a finished campaign only handed-over recipients matter: each is queried in a request of its own
    const isOver = FINAL_STATUSES.includes(campaign.status);
    const outcomes: CampaignSendOutcome[] = [];
    let problem: HandOverProblem | undefined;
    const most = isOver ? 1 : this.pace.mostRecipients;
    for (const part of partsOf(recipients, { bytes: MAX_REQUEST_BYTES, most })) {
      const content = { ...(await this.contents.of(campaign.id, part[0]?.variant ?? 0)), from };
      const post = () => this.post(campaign, account, { content, recipients: part });
      // queries for a finished campaign create no messages
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
    // 404: a version without this route
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

/** By variant and in their order; each part has a limited number of recipients and bytes of values, or one recipient. */
export function partsOf<R extends { readonly values: object; readonly variant: number }>(
  recipients: readonly R[],
  max: { bytes: number; most: number },
): R[][] {
  const parts: R[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const recipient of [...recipients].sort((one, other) => one.variant - other.variant)) {
    const size = Buffer.byteLength(JSON.stringify(recipient.values));
    const last = parts.at(-1);
    if (bytes + size > max.bytes || last?.length === max.most || last?.[0]?.variant !== recipient.variant) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(recipient);
    bytes += size;
  }
  return parts;
}
