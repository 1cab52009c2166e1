import { Inject, Injectable } from '@nestjs/common';
import { newId } from '@postmesh/contracts';
import type { PreviewRequest, RenderedPreview } from '@postmesh/messages-contract';
import { LinkTokens, publicBaseUrl } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import {
  CAMPAIGN_LIMITS,
  campaignContent,
  campaignLinks,
  campaignValues,
  namesIn,
} from '../campaign-sends/campaign-content.rules.js';
import { NO_SENDER, PreviewMessage } from './preview-message.js';

/** The message of a campaign to one recipient. Its links are marked as those of a test. */
@Injectable()
export class PreviewCampaign {
  private readonly tokens: LinkTokens;

  constructor(
    private readonly preview: PreviewMessage,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.tokens = new LinkTokens(settings.secretKeys);
  }

  /** @throws Transient; the reason of the signal */
  async execute(request: PreviewRequest, signal?: AbortSignal): Promise<RenderedPreview> {
    const { account_id: accountId, parent_account_id: parentAccountId } = request;
    const { campaign_id: campaignId, recipient } = request;
    const content = { ...request.content, subject: request.content.subject ?? '' };
    const messageId = newId();
    const given = { ...recipient, message_id: messageId, contact_id: null };
    const baseUrl = publicBaseUrl(null, this.settings);
    const links = campaignLinks(
      { accountId, parentAccountId, campaignId, test: true, baseUrl },
      given,
      this.tokens,
    );
    const values = campaignValues(given, namesIn(content), links);
    const from = content.from ?? NO_SENDER;
    const made = campaignContent({ ...content, from }, { test: false, parentAccountId }, new Date());
    const recipients = { [messageId]: { name: recipient.name, values } };
    return this.preview.execute(
      { ...made, from: content.from && made.from, recipients },
      { id: messageId, email: recipient.email, domain: 'example.com', accountId, campaignId },
      CAMPAIGN_LIMITS,
      signal,
    );
  }
}
