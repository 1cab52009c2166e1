import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiError, ApiErrors, Transient, type Principal } from '@postmesh/contracts';
import {
  CampaignSendResult,
  type CampaignContent,
  type CampaignSendProblem,
  type CampaignSendRecipient,
} from '@postmesh/messages-contract';
import { InternalClient } from '@postmesh/http';
import type { Contact } from '../contacts/contact.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { contactFields, recipientName, recipientValues } from '../sending/recipient.rules.js';
import { shown } from './campaign-issues.rules.js';
import { CampaignSenders } from './campaign-senders.js';
import { CampaignErrors, type Campaign, type CampaignSender, type IssueCode } from './campaign.js';
import type { TestResult, TestSendBody } from './campaign.schema.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { TestBudget } from './test-budget.js';

type Addressed = Omit<CampaignSendRecipient, 'message_id'>;

interface TestSendCommand {
  principal: Principal;
  id: string;
  input: TestSendBody;
  /** of the request; with it, a repeated request sends nothing twice */
  idempotencyKey: string | null;
}

/**
 * `POST …/campaigns/{id}/test-send` (spec 3-marketing §3.2): ordinary messages of the account, created by the messages
 * service; the campaign stays unchanged.
 */
@Injectable()
export class TestSend {
  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: CampaignsRepository,
    private readonly contacts: ContactsRepository,
    private readonly senders: CampaignSenders,
    private readonly budget: TestBudget,
    private readonly client: InternalClient,
  ) {}

  /** @throws ApiError 400, 401, 403, 404 or 429; Transient */
  async execute({ principal, id, input, idempotencyKey }: TestSendCommand): Promise<TestResult[]> {
    const accountId = principal.account_id;
    const campaign = await this.campaigns.find(this.dataSource.manager, accountId, id);
    if (!campaign) throw ApiErrors.notFound('campaign');
    const content = await this.requireContent(campaign);
    const addressed = await this.recipients(principal, input);
    const requestKey = idempotencyKey === null ? null : requestKeyOf(idempotencyKey, input);
    const taken = await this.budget.take(accountId, id, { messages: addressed.length, requestKey });
    // ids first, as for campaigns (ADR 57): the messages service recognises known ids
    const recipients = taken.messageIds.flatMap((message_id, at) => {
      const recipient = addressed[at];
      return recipient ? [{ ...recipient, message_id }] : [];
    });
    try {
      const request = { account_id: accountId, account: principal.account, campaign_id: id, test: true };
      const outcomes = await this.handOver({ ...request, content, recipients });
      return recipients.map((recipient) => resultOf(recipient, content.from, outcomes));
    } catch (error) {
      // without an answer they may have been sent: a repeated request with the same key finds out
      const isOpen = requestKey !== null && !(error instanceof ApiError);
      if (!isOpen && !taken.isRepeat) await this.budget.giveBack(taken.id);
      throw error;
    }
  }

  /** @throws ApiError 400 when no message can be created from the campaign */
  private async requireContent(campaign: Campaign): Promise<CampaignContent & { from: CampaignSender }> {
    const domain = await this.senders.find(campaign.accountId, campaign.from);
    const draft = shown({ ...campaign, status: 'draft' }, domain);
    const issues = draft.issues?.filter(concernsTests) ?? [];
    const { from, subject } = draft.campaign;
    if (issues.length > 0 || !from || subject === null) throw CampaignErrors.notReady(issues);
    const { replyTo: reply_to, preheader, html, text } = campaign;
    return { from, reply_to, subject, preheader, html, text };
  }

  /** @throws ApiError 404 */
  private async recipients(
    { account_id: accountId }: Principal,
    { to, contact: wanted }: TestSendBody,
  ): Promise<Addressed[]> {
    const { manager } = this.dataSource;
    const find = (idOrEmail: string) => this.contacts.find(manager, accountId, idOrEmail);
    const chosen = wanted === null || wanted === undefined ? undefined : await find(wanted);
    if (typeof wanted === 'string' && !chosen) throw ApiErrors.notFound('contact');
    const own = await Promise.all(to.map(find));
    return to.map((email, at) => recipientOf(email, own[at], chosen ?? own[at]));
  }

  /** @throws ApiError 400 or 403 when nothing was stored; Transient when the result is unknown */
  private async handOver(body: object) {
    const path = '/internal/campaign-sends';
    const result = await this.client.request('messages', { method: 'POST', path, body }, CampaignSendResult);
    if (!result) throw new Transient('messages does not know campaign sends');
    if (!result.ok) throw problemError(result.problem);
    return new Map(result.recipients.map((outcome) => [outcome.message_id, outcome]));
  }
}

/** Lists and the unsubscribe link are not needed. */
const concernsTests = (code: IssueCode): boolean => /^(subject_missing$|sender_|content_)/.test(code);

/** @param own the contact of this address @param values the contact with the used values */
function recipientOf(email: string, own: Contact | undefined, values: Contact | undefined): Addressed {
  const owner = own && contactFields(own);
  return {
    contact_id: values?.id ?? null,
    email,
    name: owner ? recipientName(owner) : '',
    values: values ? recipientValues(contactFields(values)) : { email },
  };
}

/** The key can be used for another request after a failure of this one. */
const requestKeyOf = (key: string, input: TestSendBody): string =>
  createHash('sha256')
    .update(JSON.stringify([key, input]))
    .digest('hex');

function resultOf(
  { message_id: id, email, name }: CampaignSendRecipient,
  { domain }: CampaignSender,
  outcomes: ReadonlyMap<string, { outcome: string; reason?: string | undefined }>,
): TestResult {
  const found = outcomes.get(id);
  const recipient = { email, name };
  if (found && found.outcome !== 'failed') {
    return { object: 'message', id: `<${id}@${domain}>`, recipient, status: 'queued' };
  }
  const error = found?.reason ?? 'the message could not be made';
  return { object: 'message', id: null, recipient, status: 'error', error };
}

const PROBLEMS: Record<CampaignSendProblem, () => ApiError> = {
  account_suspended: () => ApiErrors.accountSuspended(),
  credit_used_up: () => new ApiError(403, 'monthly sending limit reached'),
  domain_missing: () => CampaignErrors.notReady(['sender_missing']),
  domain_paused: () => CampaignErrors.notReady(['sender_domain_paused']),
  domain_dns_invalid: () => CampaignErrors.notReady(['sender_domain_invalid']),
};

const problemError = (problem: CampaignSendProblem): ApiError => PROBLEMS[problem]();
