import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { remembering } from '@postmesh/concurrency';
import { ApiError, newId, type AccountId } from '@postmesh/contracts';
import {
  applyContent,
  CAMPAIGN_CONTENT,
  Designs,
  editorAfter,
  givenContent,
  NO_DESIGN,
  ownShare,
  type DesignJob,
  type DesignShare,
} from '@postmesh/designs';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import type { CampaignTemplate, TemplateDesign } from './campaign-template.js';
import type { CreateCampaignTemplateBody, UpdateCampaignTemplateBody } from './campaign-template.schema.js';
import { CampaignTemplatesRepository, type TemplateRef } from './campaign-templates.repository.js';
import { ChangeCampaignTemplate } from './change-campaign-template.js';
import { copyName } from './copy-name.rules.js';
import { simpleDesign, type CreateSimpleTemplateBody, type SimpleDesignBody } from './simple-design.js';

interface Of<Input> {
  accountId: AccountId;
  input: Input;
  /** left out for an operator's design */
  share?: DesignShare;
}

/** New templates: by the API with a design of MJML or HTML, by the console or an operator with one of blocks. */
@Injectable()
export class CreateCampaignTemplate {
  constructor(
    private readonly dataSource: DataSource,
    private readonly templates: CampaignTemplatesRepository,
    private readonly designs: Designs,
  ) {}

  /** `POST …/campaign-templates`. @throws ApiError 400 or 401 */
  async execute(
    { accountId, share, input: { name, content } }: Of<CreateCampaignTemplateBody>,
    remember: Remember<CampaignTemplate> = forgetResult,
  ): Promise<CampaignTemplate> {
    const given = givenContent(content);
    const editor = editorAfter(null, given);
    const stored = { current: NO_DESIGN, others: [] };
    const make = (job: DesignJob) => this.designs.make(share ?? ownShare(accountId), job);
    const body = await applyContent(given, stored, { policy: CAMPAIGN_CONTENT, make });
    return this.insert(accountId, { name, editor, design: null, ...body }, remember);
  }

  /** Such a design is created outside of the API (spec 3-marketing §5.1 rule 7, §11). @throws ApiError 400 or 401 */
  async executeSimple({ accountId, share, input }: Of<CreateSimpleTemplateBody>): Promise<CampaignTemplate> {
    const make = (job: DesignJob) => this.designs.make(share ?? ownShare(accountId), job);
    const design = await simpleDesign({ editor: null, ...NO_DESIGN }, input, make);
    return this.insert(accountId, { name: input.name, ...design }, forgetResult);
  }

  /** A template of its own with the same design. @throws ApiError 401 or 404 */
  async copyOf(ref: TemplateRef): Promise<CampaignTemplate> {
    // one statement: the copy is consistent, and the source is not locked
    const { name, editor, design, mjml, html, text, textIsCustom } = await this.templates.get(ref);
    const copy = { name: copyName(name), editor, design, mjml, html, text, textIsCustom };
    return this.insert(ref.accountId, copy, forgetResult);
  }

  private async insert(
    accountId: AccountId,
    given: TemplateDesign & { name: string },
    remember: Remember<CampaignTemplate>,
  ): Promise<CampaignTemplate> {
    const now = new Date();
    const template = { id: newId(), accountId, createdAt: now, updatedAt: now, ...given };
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      await this.templates.insert(tx, template);
      await remember(tx, template);
    });
    return template;
  }
}

/** Changes of templates; omitted fields stay. */
@Injectable()
export class UpdateCampaignTemplate {
  constructor(
    private readonly changes: ChangeCampaignTemplate,
    private readonly designs: Designs,
  ) {}

  /** `PUT …/campaign-templates/{id}`. @throws ApiError 400, 401 or 404; Transient */
  async execute(
    { input, share, ...ref }: TemplateRef & Of<UpdateCampaignTemplateBody>,
    remember: Remember<CampaignTemplate> = forgetResult,
  ): Promise<CampaignTemplate> {
    const { name, content } = input;
    if (name === undefined && content === undefined) throw new ApiError(400, 'no field to update');
    const given = content && givenContent(content);
    const make = this.makeOnce(share ?? ownShare(ref.accountId));
    return this.changes.execute(
      ref,
      async (template) => {
        const fields = { ...template, name: name ?? template.name };
        if (!given) return fields;
        editorAfter(template.editor, given);
        const stored = { current: template, others: [] };
        return { ...fields, ...(await applyContent(given, stored, { policy: CAMPAIGN_CONTENT, make })) };
      },
      remember,
    );
  }

  /** Only a template of blocks accepts blocks. @throws ApiError 400, 401, 404 or 409; Transient */
  async executeSimple({
    input,
    share,
    ...ref
  }: TemplateRef & Of<SimpleDesignBody>): Promise<CampaignTemplate> {
    const make = this.makeOnce(share ?? ownShare(ref.accountId));
    return this.changes.execute(ref, async (template) => ({
      ...template,
      ...(await simpleDesign(template, input, make)),
    }));
  }

  private makeOnce(share: DesignShare) {
    return remembering((job: DesignJob) => this.designs.make(share, job));
  }
}
