import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, newId, type Principal } from '@postmesh/contracts';
import type { DomainFacts } from '@postmesh/domains-contract';
import {
  applyContent,
  CAMPAIGN_CONTENT,
  Designs,
  editorAfter,
  givenContent,
  NO_DESIGN,
  requireRenderable,
  type DesignShare,
} from '@postmesh/designs';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { CampaignTemplatesRepository } from '../campaign-templates/campaign-templates.repository.js';
import { contentIssues, shown } from './campaign-issues.rules.js';
import { CampaignSenders, domainOf, requireSender } from './campaign-senders.js';
import type { Campaign, NewCampaign, ShownCampaign } from './campaign.js';
import type { CreateCampaignBody } from './campaign.schema.js';
import { CampaignsRepository, requireLists } from './campaigns.repository.js';

/** The design that a campaign copies from a template, or gets in its request. */
type Design = Pick<Campaign, 'editor' | 'design' | 'mjml' | 'html' | 'text' | 'textIsCustom'>;

const NOTHING_DESIGNED: Design = { editor: null, design: null, ...NO_DESIGN };

/** `POST …/campaigns` (spec 3-marketing §3.2). */
@Injectable()
export class CreateCampaign {
  constructor(
    private readonly dataSource: DataSource,
    private readonly campaigns: CampaignsRepository,
    private readonly senders: CampaignSenders,
    private readonly designs: Designs,
    private readonly templates: CampaignTemplatesRepository,
  ) {}

  /** @throws ApiError 400, 401 or 404 */
  async execute(
    { principal, input, share }: { principal: Principal; input: CreateCampaignBody; share: DesignShare },
    remember: Remember<ShownCampaign> = forgetResult,
  ): Promise<ShownCampaign> {
    const templateId = input.template_id ?? undefined;
    if (templateId !== undefined && input.content) {
      throw new ApiError(400, 'template_id and content cannot be given together');
    }
    requireRenderable('subject', input.subject ?? null);
    requireRenderable('preheader', input.preheader ?? null);
    const domain = await this.domain(principal, input);
    const from = input.from ? requireSender(input.from, domain) : null;
    const listIds = input.list_ids ?? [];
    const { manager } = this.dataSource;
    const checkLists = async (tx: EntityManager) =>
      requireLists(listIds, await this.campaigns.lockLists(tx, principal.account_id, listIds));
    // before a design is compiled, and again when the lists can no longer be deleted
    await checkLists(manager);
    const own = await this.content(share, input);
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, principal.account_id);
      await checkLists(tx);
      const design =
        templateId === undefined
          ? own
          : await this.templates.designOf(tx, { accountId: principal.account_id, id: templateId });
      const created = newCampaign(principal, { ...headOf(input), from, listIds, ...design });
      const result = await insertDraft(tx, this.campaigns, { created, domain });
      await remember(tx, result);
      return result;
    });
  }

  private async domain(
    { account_id: accountId }: Principal,
    { from }: CreateCampaignBody,
  ): Promise<DomainFacts | undefined> {
    return from ? this.senders.find(accountId, { domain: domainOf(from.email) }) : undefined;
  }

  private async content(share: DesignShare, { content }: CreateCampaignBody): Promise<Design> {
    if (!content) return NOTHING_DESIGNED;
    const given = givenContent(content);
    const editor = editorAfter(null, given);
    const make = (job: Parameters<Designs['make']>[1]) => this.designs.make(share, job);
    const stored = { current: NO_DESIGN, others: [] };
    return {
      editor,
      design: null,
      ...(await applyContent(given, stored, { policy: CAMPAIGN_CONTENT, make })),
    };
  }
}

const headOf = ({ name, subject, preheader, reply_to }: CreateCampaignBody) => ({
  name,
  subject: subject ?? null,
  preheader: preheader ?? null,
  replyTo: reply_to ?? null,
});

type Given = Omit<NewCampaign, 'id' | 'accountId' | 'createdAt' | 'updatedAt' | 'contentIssues'>;

/** A draft with a new id and time. */
export function newCampaign(
  { account_id: accountId }: Pick<Principal, 'account_id'>,
  given: Given,
): NewCampaign {
  const now = new Date();
  return {
    id: newId(),
    accountId,
    createdAt: now,
    updatedAt: now,
    ...given,
    contentIssues: contentIssues(given),
  };
}

/**
 * @param domain of its sender
 * @param copyOf the campaign whose segments and variants it has
 */
export async function insertDraft(
  tx: EntityManager,
  campaigns: CampaignsRepository,
  { created, domain, copyOf }: { created: NewCampaign; domain: DomainFacts | undefined; copyOf?: string },
): Promise<ShownCampaign> {
  await campaigns.insert(tx, created);
  if (copyOf !== undefined) await campaigns.copyAdditions(tx, copyOf, created.id);
  const lists = await campaigns.listFacts(tx, [created.id]);
  const campaign: Campaign = {
    ...created,
    status: 'draft',
    statusReason: null,
    sendAt: null,
    sendResumesAt: null,
    finishedAt: null,
    hasContent: created.html !== null || created.text !== null,
  };
  return shown(campaign, domain, lists.get(created.id));
}
