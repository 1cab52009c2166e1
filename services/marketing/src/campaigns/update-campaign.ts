import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { ApiError, type DomainFacts } from '@postmesh/contracts';
import {
  applyContent,
  CAMPAIGN_CONTENT,
  Designs,
  editorAfter,
  givenContent,
  ownShare,
  requireRenderable,
  type DesignJob,
  type DesignShare,
} from '@postmesh/designs';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { simpleDesign, type SimpleDesignBody } from '../campaign-templates/simple-design.js';
import { CampaignChanges, type CampaignOfAccount } from './campaign-changes.js';
import { contentIssues, shown } from './campaign-issues.rules.js';
import { CampaignSenders, domainOf, requireSender } from './campaign-senders.js';
import { CampaignErrors, type Campaign, type CampaignFields, type ShownCampaign } from './campaign.js';
import type { UpdateCampaignBody } from './campaign.schema.js';
import { CampaignsRepository, requireLists } from './campaigns.repository.js';
import type { Prefetch } from './prefetch.js';

const TEXTS = ['subject', 'preheader', 'html', 'text'] as const;

interface Decision {
  fields: CampaignFields;
  /** of the sender's domain */
  domain: DomainFacts | undefined;
}

/** `blocks` come with the HTML that an editor outside of the API derived from them. */
type UpdateInput = UpdateCampaignBody & { blocks?: SimpleDesignBody['blocks'] };

interface Update {
  input: UpdateInput;
  /** left out for an operator's design */
  share?: DesignShare | undefined;
}

/** `PUT …/campaigns/{id}` (spec 3-marketing §3.2 U1 to U19), and an operator's design of blocks (§11). */
@Injectable()
export class UpdateCampaign {
  constructor(
    private readonly changes: CampaignChanges,
    private readonly campaigns: CampaignsRepository,
    private readonly senders: CampaignSenders,
    private readonly designs: Designs,
  ) {}

  /** @throws ApiError 400, 401, 404 or 409; Transient */
  execute(
    { input, share, ...ref }: CampaignOfAccount & Update,
    remember: Remember<ShownCampaign> = forgetResult,
  ): Promise<ShownCampaign> {
    if (Object.values(input).every((value) => value === undefined)) {
      return Promise.reject(new ApiError(400, 'no field to update'));
    }
    const change = {
      decide: (manager: EntityManager, campaign: Campaign, prefetch: Prefetch) =>
        this.decide(manager, campaign, { input, share, prefetch }),
      apply: (tx: EntityManager, campaign: Campaign, decision: Decision) =>
        this.apply(tx, campaign, decision),
    };
    return this.changes.change(ref, change, remember);
  }

  /** The campaign after the request's fields, which are checked in this order. */
  private async decide(
    manager: EntityManager,
    campaign: Campaign,
    { input, share, prefetch }: Update & { prefetch: Prefetch },
  ): Promise<Decision> {
    requireDraft(campaign);
    const { accountId } = campaign;
    requireRenderable('subject', input.subject ?? null);
    requireRenderable('preheader', input.preheader ?? null);
    const domain = this.takeDomain(campaign, { input, prefetch });
    const fields: CampaignFields = {
      ...campaign,
      name: input.name ?? campaign.name,
      subject: after(input.subject, campaign.subject),
      preheader: after(input.preheader, campaign.preheader),
      from: after(input.from && requireSender(input.from, domain), campaign.from),
      replyTo: after(input.reply_to, campaign.replyTo),
      listIds: input.list_ids ?? campaign.listIds,
    };
    if (input.list_ids)
      requireLists(input.list_ids, await this.campaigns.lockLists(manager, accountId, input.list_ids));
    Object.assign(fields, await this.content(campaign, { input, share, prefetch }));
    // a large design is not parsed again for a change of the name
    if (TEXTS.some((name) => fields[name] !== campaign[name])) fields.contentIssues = contentIssues(fields);
    return { fields, domain };
  }

  private takeDomain(
    { accountId, from }: Campaign,
    { input, prefetch }: { input: UpdateCampaignBody; prefetch: Prefetch },
  ): DomainFacts | undefined {
    const domain = input.from ? domainOf(input.from.email) : input.from === null ? undefined : from?.domain;
    if (domain === undefined) return undefined;
    return prefetch.take(`domain ${domain}`, () => this.senders.find(accountId, { domain }));
  }

  private async content(
    campaign: Campaign,
    {
      input: { blocks, content },
      share = ownShare(campaign.accountId),
      prefetch,
    }: Update & { prefetch: Prefetch },
  ): Promise<Partial<CampaignFields>> {
    if (!content) return {};
    const make = async (job: DesignJob) =>
      prefetch.take(JSON.stringify(job), () => this.designs.make(share, job));
    if (blocks !== undefined) return simpleDesign(campaign, { blocks, content }, make);
    const given = givenContent(content);
    const editor = editorAfter(campaign.editor, given);
    const stored = { current: campaign, others: [] };
    return { editor, ...(await applyContent(given, stored, { policy: CAMPAIGN_CONTENT, make })) };
  }

  /** An unchanged request keeps `updated_at` (U19). */
  private async apply(
    tx: EntityManager,
    campaign: Campaign,
    { fields, domain }: Decision,
  ): Promise<ShownCampaign> {
    const isSame = isDeepStrictEqual(fieldsOf(fields), fieldsOf(campaign));
    const next: Campaign = {
      ...campaign,
      ...fields,
      hasContent: fields.html !== null || fields.text !== null,
      updatedAt: isSame ? campaign.updatedAt : new Date(),
    };
    if (!isSame) {
      await this.campaigns.update(tx, next);
      if (!isDeepStrictEqual(fields.listIds, campaign.listIds)) await this.campaigns.replaceLists(tx, next);
    }
    const lists = await this.campaigns.listFacts(tx, [next.id]);
    return shown(next, domain, lists.get(next.id));
  }
}

/** @throws ApiError 409 */
export function requireDraft({ status }: Pick<Campaign, 'status'>): void {
  if (status !== 'draft') throw CampaignErrors.notDraft();
}

/** An omitted field keeps its value. */
const after = <T>(given: T | undefined, current: T): T => (given === undefined ? current : given);

const fieldsOf = (fields: CampaignFields): CampaignFields => ({
  name: fields.name,
  subject: fields.subject,
  preheader: fields.preheader,
  from: fields.from,
  replyTo: fields.replyTo,
  listIds: fields.listIds,
  editor: fields.editor,
  design: fields.design,
  mjml: fields.mjml,
  html: fields.html,
  text: fields.text,
  textIsCustom: fields.textIsCustom,
  contentIssues: fields.contentIssues,
});
