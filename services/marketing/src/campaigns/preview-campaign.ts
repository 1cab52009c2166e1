import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, Transient, type AccountId, type Principal } from '@postmesh/contracts';
import {
  PREVIEW_RECIPIENT,
  RenderedPreview,
  type Issue,
  type MessagePreview,
  type PreviewRequest,
} from '@postmesh/messages-contract';
import { InternalClient } from '@postmesh/http';
import { CampaignTemplatesRepository } from '../campaign-templates/campaign-templates.repository.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { contactFields, recipientName, recipientValues } from '../sending/recipient.rules.js';
import { ISSUES, type Campaign, type IssueCode } from './campaign.js';
import type { CampaignPreviewBody } from './campaign.schema.js';
import { ReadCampaigns } from './read-campaigns.js';

type Content = Pick<Campaign, 'from' | 'replyTo' | 'subject' | 'preheader' | 'html' | 'text'>;
const NO_HEAD = { from: null, replyTo: null, subject: null, preheader: null };

/**
 * The message that a campaign in any status would send to one contact, or a campaign made from a template; the messages
 * service renders it.
 */
@Injectable()
export class PreviewCampaign {
  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: ReadCampaigns,
    private readonly templates: CampaignTemplatesRepository,
    private readonly contacts: ContactsRepository,
    private readonly client: InternalClient,
  ) {}

  /** @throws ApiError 404; Transient; the reason of the signal */
  async execute(
    principal: Principal,
    id: string,
    input: CampaignPreviewBody,
    signal?: AbortSignal,
  ): Promise<MessagePreview> {
    const { campaign, issues } = await this.campaigns.find(principal.account_id, id);
    return this.message(principal, { id, content: campaign, issues: issues ?? [], input }, signal);
  }

  /** The design of a campaign template, which has no subject and no sender. @throws like `execute` */
  async ofTemplate(
    principal: Principal,
    id: string,
    input: CampaignPreviewBody,
    signal?: AbortSignal,
  ): Promise<MessagePreview> {
    const { html, text } = await this.templates.get({ accountId: principal.account_id, id });
    return this.message(principal, { id, content: { ...NO_HEAD, html, text }, issues: [], input }, signal);
  }

  private async message(
    { account_id: accountId, account }: Principal,
    given: { id: string; content: Content; issues: readonly IssueCode[]; input: CampaignPreviewBody },
    signal?: AbortSignal,
  ): Promise<MessagePreview> {
    const request = {
      account_id: accountId,
      parent_account_id: account.parent_account_id,
      campaign_id: given.id,
      content: contentOf(given.content),
      recipient: await this.recipient(accountId, given.input),
    };
    const { problems, ...made } = await this.render(request, signal);
    return { object: 'message_preview', ...made, issues: shownIssues(given.issues, problems) };
  }

  /** @throws ApiError 404 */
  private async recipient(
    accountId: AccountId,
    { contact: wanted, substitutions }: CampaignPreviewBody,
  ): Promise<PreviewRequest['recipient']> {
    const contact =
      typeof wanted === 'string'
        ? await this.contacts.find(this.dataSource.manager, accountId, wanted)
        : undefined;
    if (typeof wanted === 'string' && !contact) throw ApiErrors.notFound('contact');
    const fields = contact && contactFields(contact);
    return {
      email: contact?.email ?? PREVIEW_RECIPIENT,
      name: fields ? recipientName(fields) : '',
      values: { ...(fields ? recipientValues(fields) : {}), ...substitutions },
    };
  }

  private async render(body: PreviewRequest, signal?: AbortSignal): Promise<RenderedPreview> {
    const path = '/internal/message-previews';
    const request = { method: 'POST', path, body, ...(signal && { signal }) } as const;
    const made = await this.client.request('messages', request, RenderedPreview);
    if (!made) throw new Transient('messages does not know previews yet');
    return made;
  }
}

const contentOf = ({
  from,
  replyTo,
  subject,
  preheader,
  html,
  text,
}: Content): PreviewRequest['content'] => ({
  from: from && { email: from.email, name: from.name },
  reply_to: replyTo,
  subject,
  preheader,
  html,
  text,
});

/** Replaces the issue of unrenderable content by one issue per part, with its reason. */
function shownIssues(codes: readonly IssueCode[], problems: RenderedPreview['problems']): Issue[] {
  const unrenderable = problems.map(({ part, reason }) => ({
    code: 'content_unrenderable',
    message: `${part}: ${reason}`,
  }));
  return [
    ...codes
      .filter((code) => code !== 'content_unrenderable' || problems.length === 0)
      .map((code) => ({ code, message: ISSUES[code] })),
    ...unrenderable,
  ];
}
