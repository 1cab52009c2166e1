import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { copyName } from '../campaign-templates/copy-name.rules.js';
import type { CampaignRef } from './campaign-changes.js';
import { existingSender } from './campaign-issues.rules.js';
import { CampaignSenders } from './campaign-senders.js';
import type { ShownCampaign } from './campaign.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { insertDraft, newCampaign } from './create-campaign.js';

/** `POST …/campaigns/{id}/duplicate` (spec 3-marketing §3.2 D1 to D7). */
@Injectable()
export class DuplicateCampaign {
  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: CampaignsRepository,
    private readonly senders: CampaignSenders,
  ) {}

  /**
   * @param name undefined: derived from the source's
   * @throws ApiError 401 or 404
   */
  async execute(
    { principal, id, name }: CampaignRef & { name: string | undefined },
    remember: Remember<ShownCampaign> = forgetResult,
  ): Promise<ShownCampaign> {
    const { account_id: accountId } = principal;
    // one statement: the copy is consistent, and the source is not locked
    const source = await this.campaigns.find(this.dataSource.manager, accountId, id);
    if (!source) throw ApiErrors.notFound('campaign');
    const domain = await this.senders.find(accountId, source.from);
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const existing = await this.campaigns.lockLists(tx, accountId, source.listIds);
      const created = newCampaign(principal, {
        name: name ?? copyName(source.name),
        subject: source.subject,
        preheader: source.preheader,
        from: existingSender(source.from, domain),
        replyTo: source.replyTo,
        listIds: source.listIds.filter((listId) => existing.has(listId)),
        editor: source.editor,
        design: source.design,
        mjml: source.mjml,
        html: source.html,
        text: source.text,
        textIsCustom: source.textIsCustom,
      });
      const result = await insertDraft(tx, this.campaigns, { created, domain, copyOf: id });
      await remember(tx, result);
      return result;
    });
  }
}
