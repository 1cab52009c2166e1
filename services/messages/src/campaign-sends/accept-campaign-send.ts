import { Inject, Injectable } from '@nestjs/common';
import type { AccountId, MessageId } from '@postmesh/contracts';
import type {
  CampaignSendOutcome,
  CampaignSendProblem,
  CampaignSendRecipient,
  CampaignSendRequest,
  CampaignSendResult,
} from '@postmesh/messages-contract';
import { DomainDirectory, type DomainFacts } from '@postmesh/domains-contract';
import { parseEmailAddress, RecipientShields } from '@postmesh/mail-format';
import { oneLine, type RequestContent, type Values } from '@postmesh/message-content';
import { LinkTokens, publicBaseUrl } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { OtherSenders } from '../accept/other-senders.js';
import { RenderMessages, type RenderedMessage } from '../accept/render-messages.js';
import { toSendRequest, type AcceptedRequest } from '../accept/send-request.rules.js';
import { readOptions } from '../accept/shared-fields.rules.js';
import {
  CAMPAIGN_LIMITS,
  campaignContent,
  campaignLinks,
  campaignValues,
  namesIn,
  type CampaignBatch,
} from './campaign-content.rules.js';
import { CampaignSendWriter, type StoredOutcomes } from './campaign-send-writer.js';

// Covers accounts that send now and then.
const OTHERS_MS = 60_000;

/** A recipient of a batch with the id of its message. */
interface Addressed {
  id: MessageId;
  given: CampaignSendRecipient;
  name: string;
  values: Values;
  /** the reason why there is no message */
  error?: string | undefined;
  rendered?: RenderedMessage;
}

/**
 * Accepts a batch of a campaign, or a test of one: one send request, the messages under the ids of the
 * caller. A repeated call, also one during the first, stores nothing twice and returns the outcome per message
 * (spec 3-marketing §7.2 rule 2).
 */
@Injectable()
export class AcceptCampaignSend {
  private readonly tokens: LinkTokens;

  constructor(
    private readonly domains: DomainDirectory,
    private readonly shields: RecipientShields,
    private readonly rendering: RenderMessages,
    private readonly writer: CampaignSendWriter,
    private readonly others: OtherSenders,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.tokens = new LinkTokens(settings.secretKeys);
  }

  /** @throws Transient, or the error that prevented storing: the caller must then assume nothing */
  async execute(request: CampaignSendRequest): Promise<CampaignSendResult> {
    const result = await this.accept(request);
    return result.ok && this.others.haveSentWithin(OTHERS_MS) ? { ...result, beside_others: true } : result;
  }

  private async accept(request: CampaignSendRequest): Promise<CampaignSendResult> {
    const ids = request.recipients.map(({ message_id: id }) => id as MessageId);
    const stored = await this.writer.findStored(request.account_id, ids);
    const fresh = request.recipients.filter(({ message_id: id }) => !stored.has(id as MessageId));
    if (fresh.length === 0) return toResult(request, stored, new Map());
    const domain = await this.findDomain(request);
    if (typeof domain === 'string') return { ok: false, problem: domain };
    const addressed = await this.address({ ...request, recipients: fresh }, domain);
    return this.store(request, { domain, addressed, stored });
  }

  /** Owned, DNS valid, not paused: in the order of other sends. */
  private async findDomain(request: CampaignSendRequest): Promise<DomainFacts | CampaignSendProblem> {
    if (request.account.status !== 'active') return 'account_suspended';
    const sender = parseEmailAddress(request.content.from.email);
    if (!sender.ok) return 'domain_missing';
    const facts = await this.domains.find(request.account_id, sender.address.domain);
    if (!facts || facts.deleted) return 'domain_missing';
    if (!facts.dns_valid) return 'domain_dns_invalid';
    return facts.paused ? 'domain_paused' : facts;
  }

  /** Each recipient with its message, or with the reason why there is none. */
  private async address(request: CampaignSendRequest, domain: DomainFacts): Promise<Addressed[]> {
    const { account_id: accountId, campaign_id: campaignId, content, test, purpose } = request;
    const baseUrl = publicBaseUrl(domain.subscription_host ?? null, this.settings);
    const { parent_account_id: parentAccountId } = request.account;
    const batch: CampaignBatch = { accountId, parentAccountId, campaignId, test, purpose, domain, baseUrl };
    const isNamed = namesIn(content);
    const shield = await this.shields.of(request.account);
    const addressed = request.recipients.map((given): Addressed => {
      const values = campaignValues(given, isNamed, campaignLinks(batch, given, this.tokens));
      const error = addressProblem(given.email, shield);
      return { id: given.message_id as MessageId, given, name: oneLine(given.name), values, error };
    });
    const wanted = addressed.filter(({ error }) => error === undefined);
    const source = withRecipients(campaignContent(content, batch, new Date()), wanted);
    return this.render(source, addressed, batch);
  }

  private async render(
    content: RequestContent,
    addressed: readonly Addressed[],
    { accountId, campaignId, domain: { domain } }: CampaignBatch,
  ): Promise<Addressed[]> {
    const about = { domain, accountId, campaignId };
    const render = async (list: readonly Addressed[]) => {
      const recipients = list.map(({ id, given: { email }, values }) => ({ id, email, values, ...about }));
      const rendered = await this.rendering.execute(content, recipients, { limits: CAMPAIGN_LIMITS });
      return list.map((one, nth) => [one, rendered[nth]] as const);
    };
    const results = new Map(await render(addressed.filter(({ error }) => error === undefined)));
    // the machine may be busy, and no later time is allowed
    const slow = [...results].filter(([, result]) => result?.error !== undefined && result.slow);
    for (const [one, result] of await render(slow.map(([one]) => one))) results.set(one, result);
    return addressed.map((one) => {
      const result = results.get(one);
      if (!result) return one;
      return result.error === undefined ? { ...one, rendered: result } : { ...one, error: result.error };
    });
  }

  private async store(
    request: CampaignSendRequest,
    about: { domain: DomainFacts; addressed: readonly Addressed[]; stored: StoredOutcomes },
  ): Promise<CampaignSendResult> {
    const { domain, addressed, stored } = about;
    const failed = new Map(addressed.flatMap(({ id, error }) => (error === undefined ? [] : [[id, error]])));
    const made = addressed.filter(({ error }) => error === undefined);
    if (made.length === 0) return toResult(request, stored, failed);
    const sendRequest = toSendRequest(toAccepted(request, domain, made));
    const { campaign_id: campaignId, account: credit } = request;
    const written = await this.writer.write({ campaignId, sendRequest, credit });
    if (made.some(({ id }) => !written.has(id))) return { ok: false, problem: 'credit_used_up' };
    return toResult(request, new Map([...stored, ...written]), failed);
  }
}

/** The account's recipient shields apply as for its other mail (spec 1-platform §10.1). */
function addressProblem(email: string, shield: (domain: string) => string | undefined): string | undefined {
  const read = parseEmailAddress(email);
  if (!read.ok) return `the address is not valid: ${read.problem}`;
  return shield(read.address.domain);
}

const withRecipients = (content: RequestContent, addressed: readonly Addressed[]): RequestContent => ({
  ...content,
  recipients: Object.fromEntries(
    addressed.map(({ id, name, values }) => [id, { ...(name === '' ? {} : { name }), values }]),
  ),
});

/** A test is an ordinary message of the account (spec 3-marketing §3.2), without tracking. */
function toAccepted(
  request: CampaignSendRequest,
  domain: DomainFacts,
  made: readonly Addressed[],
): AcceptedRequest {
  const { account_id: accountId, account, campaign_id: campaignId, test, purpose } = request;
  const [first] = made as [Addressed];
  const acceptedAt = new Date();
  const about = { test, purpose, parentAccountId: account.parent_account_id };
  const content = withRecipients(campaignContent(request.content, about, acceptedAt), made);
  const options = readOptions({}, { controls: {} }, { account, now: acceptedAt });
  const { email: sender, name: senderName } = content.from;
  const subjectOf = ({ rendered }: Addressed) => rendered?.subject ?? content.subject;
  return {
    ...(test ? { kind: 'regular' } : { kind: 'campaign', campaignId, ...(senderName ? { senderName } : {}) }),
    templateId: null,
    accountId: accountId as AccountId,
    domain,
    sender,
    messageIdHeader: `<${first.id}@${domain.domain}>`,
    subject: subjectOf(first),
    content,
    largestMessage: made.reduce((most, { rendered }) => Math.max(most, rendered?.bytes ?? 0), 0),
    ...options,
    ...(test ? { tracking: { open: false, click: false } } : {}),
    sandbox: null,
    acceptedAt,
    recipients: made.map((one) => ({
      id: one.id,
      email: one.given.email,
      name: one.name,
      subject: subjectOf(one),
    })),
  };
}

function toResult(
  { recipients }: CampaignSendRequest,
  stored: StoredOutcomes,
  failed: ReadonlyMap<string, string>,
): CampaignSendResult {
  const outcomes = recipients.map(({ message_id: id }): CampaignSendOutcome => {
    const outcome = stored.get(id as MessageId);
    if (outcome) return { message_id: id, outcome };
    return { message_id: id, outcome: 'failed', reason: failed.get(id) ?? 'its message could not be made' };
  });
  return { ok: true, recipients: outcomes };
}
